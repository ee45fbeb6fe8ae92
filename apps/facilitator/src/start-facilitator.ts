import { createFacilitator, type Facilitator } from '@farebox/facilitator/create-facilitator'
import { systemClock } from '@farebox/facilitator/clock'
import { startMetricsServer } from '@farebox/facilitator/http/metrics-server'
import { openPostgresLedger } from '@farebox/facilitator/ledger/postgres/postgres-ledger'
import type { Log } from '@farebox/facilitator/log'
import { loadEvmCrypto } from '@farebox/payments/evm-crypto'
import { createJsonRpc } from '@farebox/payments/json-rpc-pool'
import type { FacilitatorEnvironment } from './read-environment.ts'

/** A facilitator with all it stands on. */
export interface RunningFacilitator {
  readonly url: string
  /** Answers what is in flight, then stops everything that was started. */
  stop(): Promise<void>
}

/**
 * Starts the facilitator an environment describes, with PostgreSQL of our own where it names none.
 *
 * Rejects when a part does not start; those that did are stopped again.
 */
export async function startFacilitator(
  environment: FacilitatorEnvironment,
  log: Log,
): Promise<RunningFacilitator> {
  const { network, host, port, limits, relayerKey, adminToken } = environment
  const started: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of started.splice(0).toReversed()) await end()
  }
  try {
    const ledger = await openPostgresLedger({
      connectionString:
        environment.databaseUrl ?? (await startOwnPostgres(environment.dataFolder, log, started)),
      schema: environment.databaseSchema,
      clock: systemClock,
      onError: error => log.warn('database connection lost', { error: error.message }),
    })
    started.push(() => ledger.close())
    const rpc = createJsonRpc(environment.rpcUrl)
    started.push(() => rpc.close())
    const crypto = await loadEvmCrypto({
      onFallback: reason => log.warn('signatures are checked by the slower wasm curve', { reason }),
    })
    const facilitator = await createFacilitator({
      ledger,
      rpc,
      network,
      crypto,
      relayerKey,
      log,
      limits,
      ...(adminToken !== undefined && { adminToken }),
    })
    started.push(() => facilitator.close())
    if (environment.metricsPort !== undefined)
      await startMetrics(facilitator, host, environment.metricsPort, started)
    const url = await facilitator.listen({ host, port })
    log.info('listening', { url, network: network.id, relayer: facilitator.relayer })
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Imported only here: an installation with a DATABASE_URL needs no PostgreSQL programs. */
async function startOwnPostgres(
  folder: string,
  log: Log,
  started: (() => Promise<unknown>)[],
): Promise<string> {
  const { startPostgres } = await import('@farebox/local/postgres/start-postgres')
  const postgres = await startPostgres({ folder })
  started.push(() => postgres.stop())
  log.info('DATABASE_URL is not set: keeping the ledger in a PostgreSQL of our own', {
    folder,
    port: postgres.port,
  })
  return postgres.connectionString
}

async function startMetrics(
  { metrics }: Facilitator,
  host: string,
  port: number,
  started: (() => Promise<unknown>)[],
): Promise<void> {
  const server = await startMetricsServer(metrics.registry, { host, port })
  started.push(
    () =>
      new Promise(resolve => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
}
