import { loadEvmCrypto } from '@farebox/payments/evm-crypto'
import { createJsonRpc } from '@farebox/payments/json-rpc-pool'
import { systemClock } from '../clock.ts'
import { createFacilitator, type Facilitator } from '../create-facilitator.ts'
import { startMetricsServer } from '../http/metrics-server.ts'
import { openPostgresLedger } from '../ledger/postgres/postgres-ledger.ts'
import type { Log } from '../log.ts'
import { EnvironmentError, type FacilitatorEnvironment } from './read-environment.ts'

/** A facilitator with all it stands on. */
export interface RunningFacilitator {
  readonly url: string
  /** Answers what is in flight, then stops everything that was started. */
  stop(): Promise<void>
}

/**
 * Brings a PostgreSQL that keeps its files in a folder. This package has none of its own: whoever installs it on a
 * server has one, and the programs of a local one weigh more than everything else here.
 */
export type StartDatabase = (folder: string) => Promise<{
  /** `postgres://user:password@host:port/database` */
  readonly connectionString: string
  readonly port: number
  stop(): Promise<void>
}>

/**
 * Starts the facilitator an environment describes.
 *
 * Rejects when a part does not start; those that did are stopped again. An {@link EnvironmentError} where
 * DATABASE_URL is unset and `startDatabase` too.
 */
export async function startFacilitator(
  environment: FacilitatorEnvironment,
  log: Log,
  startDatabase?: StartDatabase,
): Promise<RunningFacilitator> {
  const { network, host, port, limits, relayerKey, adminToken } = environment
  const started: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of started.splice(0).toReversed()) await end()
  }
  try {
    const ledger = await openPostgresLedger({
      connectionString:
        environment.databaseUrl ?? (await startOwnDatabase(startDatabase, environment, log, started)),
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

async function startOwnDatabase(
  startDatabase: StartDatabase | undefined,
  { dataFolder: folder }: FacilitatorEnvironment,
  log: Log,
  started: (() => Promise<unknown>)[],
): Promise<string> {
  if (startDatabase === undefined) {
    throw new EnvironmentError(
      'DATABASE_URL is not set: give the postgres:// URL of a PostgreSQL server, 14 or newer, to keep the ledger in',
    )
  }
  const { connectionString, port, stop } = await startDatabase(folder)
  started.push(stop)
  log.info('DATABASE_URL is not set: keeping the ledger in a PostgreSQL of our own', { folder, port })
  return connectionString
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
