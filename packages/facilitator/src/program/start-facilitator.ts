import { createClockMeter } from '@farebox/payments/http/clock-meter'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { systemClock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import { startMetricsServer } from '@farebox/server/internal/metrics-server'
import { reachDatabase } from '@farebox/server/internal/postgres/reach-database'
import { startOwnDatabase, type StartDatabase } from '@farebox/server/internal/postgres/start-own-database'
import type { RunningServer } from '@farebox/server/internal/run-server'
import { whyUnreachable } from '@farebox/server/internal/program/why-unreachable'
import { explainTakenPort } from '@farebox/server/internal/program/explain-taken-port'
import { startInOrder, type End } from '@farebox/server/internal/start-in-order'
import { createFacilitator, type Facilitator } from '../create-facilitator.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openPostgresLedger } from '../ledger/postgres/postgres-ledger.ts'
import { LEDGER_DATABASE_ADVICE, type FacilitatorEnvironment } from './read-environment.ts'

/**
 * Starts the facilitator that an environment describes.
 *
 * Rejects when a part does not start; the started parts are stopped again. Rejects with an `EnvironmentError` when neither
 * DATABASE_URL nor `startDatabase` is set.
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
      const metrics = await explainTakenPort('METRICS_PORT', metricsPort, () =>
        startMetricsServer(facilitator.metrics.registry, { host, port: metricsPort }),
      )
      started.push(metrics.stop)
    }
    const url = await explainTakenPort('FACILITATOR_PORT', port, () => facilitator.listen({ host, port }))
    log.info('listening', { url, network: network.id, relayers: facilitator.relayers.join(', ') })
    return { url, drain: facilitator.drain }
  })
}

async function openLedger(
  environment: FacilitatorEnvironment,
  log: Log,
  startDatabase: StartDatabase | undefined,
  started: End[],
): Promise<Ledger> {
  const { databaseUrl, databaseSchema: schema, dataFolder: folder } = environment
  const own = { folder, advice: LEDGER_DATABASE_ADVICE }
  const connectionString = databaseUrl ?? (await startOwnDatabase(startDatabase, own, log, started))
  const onError = (error: Error): void => log.warn('database connection lost', { error: error.message })
  const onMigrating = (migrations: number): void => log.info('migrating the database', { migrations })
  const open = (): ReturnType<typeof openPostgresLedger> =>
    openPostgresLedger({
      connectionString,
      directConnectionString: environment.directDatabaseUrl,
      schema,
      clock: systemClock,
      onError,
      onMigrating,
    })
  const ledger = await reachDatabase(connectionString, open, { clock: systemClock, log })
  started.push(() => ledger.close())
  return ledger
}

async function openFacilitator(
  { network, limits, relayerKeys, adminToken, rpcUrl, secondRpcUrl }: FacilitatorEnvironment,
  log: Log,
  ledger: Ledger,
  started: End[],
): Promise<Facilitator> {
  const meter = createClockMeter()
  const rpc = createJsonRpc(rpcUrl, { dates: { nowMs: () => systemClock.nowMs(), hear: meter.hear } })
  started.push(() => rpc.close())
  const secondRpc = secondRpcUrl === undefined ? undefined : createJsonRpc(secondRpcUrl)
  if (secondRpc !== undefined) started.push(() => secondRpc.close())
  const crypto = await loadEvmCrypto({
    onFallback: reason =>
      log.warn(
        'the native signature library did not load; signatures are verified by the slower WebAssembly one',
        { reason },
      ),
  })
  log.info('asking the node')
  await reachNode(rpc, rpcUrl)
  const facilitator = await createFacilitator({
    ledger,
    rpc,
    network,
    crypto,
    relayerKeys,
    aheadOfNodeSeconds: meter.aheadSeconds,
    log,
    limits,
    ...(adminToken !== undefined && { adminToken }),
    ...(secondRpc !== undefined && { secondRpc }),
  })
  started.push(() => facilitator.close())
  return facilitator
}

/** The first request of the start, so that an unreachable node is named in the error. */
async function reachNode(rpc: JsonRpc, url: string): Promise<void> {
  try {
    await rpc.call('eth_chainId', [])
  } catch (error) {
    const reason = whyUnreachable(error)
    if (reason === undefined) throw error
    const { host } = new URL(url)
    throw new Error(`cannot reach the node at ${host}: ${reason}; start it or set EVM_RPC_URL`, {
      cause: error,
    })
  }
}
