import { loadEvmCrypto } from '@farebox/payments/evm-crypto'
import { createJsonRpc } from '@farebox/payments/json-rpc-pool'
import { systemClock } from '@farebox/server/clock'
import type { Log } from '@farebox/server/log'
import { startMetricsServer } from '@farebox/server/metrics-server'
import { startOwnDatabase, type StartDatabase } from '@farebox/server/postgres/start-own-database'
import type { RunningServer } from '@farebox/server/run-server'
import { startInOrder, type End } from '@farebox/server/start-in-order'
import { createFacilitator, type Facilitator } from '../create-facilitator.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openPostgresLedger } from '../ledger/postgres/postgres-ledger.ts'
import type { FacilitatorEnvironment } from './read-environment.ts'

/**
 * Starts the facilitator an environment describes.
 *
 * Rejects when a part does not start; those that did are stopped again. An `EnvironmentError` where DATABASE_URL is
 * unset and `startDatabase` too.
 */
export async function startFacilitator(
  environment: FacilitatorEnvironment,
  log: Log,
  startDatabase?: StartDatabase,
): Promise<RunningServer> {
  const { host, port, network, metricsPort } = environment
  return await startInOrder(async started => {
    const ledger = await openLedger(environment, log, startDatabase, started)
    const facilitator = await openFacilitator(environment, log, ledger, started)
    if (metricsPort !== undefined) {
      const metrics = await startMetricsServer(facilitator.metrics.registry, { host, port: metricsPort })
      started.push(metrics.stop)
    }
    const url = await facilitator.listen({ host, port })
    log.info('listening', { url, network: network.id, relayer: facilitator.relayer })
    return { url }
  })
}

async function openLedger(
  environment: FacilitatorEnvironment,
  log: Log,
  startDatabase: StartDatabase | undefined,
  started: End[],
): Promise<Ledger> {
  const { databaseUrl, databaseSchema: schema, dataFolder: folder } = environment
  const advice = 'give the postgres:// URL of a PostgreSQL server, 14 or newer, to keep the ledger in'
  const ledger = await openPostgresLedger({
    connectionString:
      databaseUrl ?? (await startOwnDatabase(startDatabase, { folder, advice }, log, started)),
    schema,
    clock: systemClock,
    onError: error => log.warn('database connection lost', { error: error.message }),
  })
  started.push(() => ledger.close())
  return ledger
}

async function openFacilitator(
  { network, limits, relayerKey, adminToken, rpcUrl }: FacilitatorEnvironment,
  log: Log,
  ledger: Ledger,
  started: End[],
): Promise<Facilitator> {
  const rpc = createJsonRpc(rpcUrl)
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
  return facilitator
}
