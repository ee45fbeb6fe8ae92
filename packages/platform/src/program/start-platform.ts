import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { systemClock } from '@farebox/protocol/time/clock'
import type { Log } from '@farebox/server/log'
import { startMetricsServer } from '@farebox/server/internal/metrics-server'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { reachDatabase } from '@farebox/server/internal/postgres/reach-database'
import { startOwnDatabase, type StartDatabase } from '@farebox/server/internal/postgres/start-own-database'
import type { RunningServer } from '@farebox/server/internal/run-server'
import { explainTakenPort } from '@farebox/server/internal/program/explain-taken-port'
import { startInOrder, type End } from '@farebox/server/internal/start-in-order'
import { createChecker } from '../checking/checker.ts'
import { createPlatform } from '../create-platform.ts'
import { createOutbound } from '../outbound/outbound.ts'
import type { PlatformDependencies } from '../platform-parts.ts'
import { openStorage } from '../storage/open-storage.ts'
import { createNodeClock } from './node-clock.ts'
import { openPages } from './open-pages.ts'
import { openPaymentSeal } from './open-payment-seal.ts'
import { DATABASE_ADVICE, type PlatformEnvironment } from './read-environment.ts'
import { ownServicesAt } from './read-private-networks.ts'

/**
 * The maximum size of a response, which must fit all logs of one block: anyone can fill a block with logs, and the
 * registry could never advance past a block that it cannot read.
 */
const MOST_NODE_ANSWER_BYTES = 64 * 1_024 * 1_024

/**
 * Starts the platform that an environment describes.
 *
 * Rejects when a part does not start, after stopping the parts already started. Rejects with an `EnvironmentError` when
 * neither DATABASE_URL nor `startDatabase` is given.
 */
export async function startPlatform(
  environment: PlatformEnvironment,
  log: Log,
  startDatabase?: StartDatabase,
): Promise<RunningServer> {
  const { host, port, network, metricsPort, settings, trustedProxies } = environment
  return await startInOrder(async started => {
    const database = await openDatabase(environment, log, startDatabase, started)
    log.info('loading the pages')
    const parts = await openParts(environment, log, database, started)
    const { publicUrl, localMode } = parts.settings
    const pages = await openPages({ publicUrl, localMode })
    const platform = await createPlatform(parts, { trustedProxies, pages })
    started.push(() => platform.close())
    if (metricsPort !== undefined) {
      const metrics = await explainTakenPort('METRICS_PORT', metricsPort, () =>
        startMetricsServer(platform.metrics, { host, port: metricsPort }),
      )
      started.push(metrics.stop)
    }
    const url = await explainTakenPort('PLATFORM_PORT', port, () => platform.listen({ host, port }))
    log.info('listening', { url, network: network.id, registry: settings.registryAddress })
    return { url, drain: platform.drain }
  })
}

async function openDatabase(
  environment: PlatformEnvironment,
  log: Log,
  startDatabase: StartDatabase | undefined,
  started: End[],
): Promise<Database> {
  const { databaseUrl, databaseSchema: schema, dataFolder: folder } = environment
  const own = { folder, advice: DATABASE_ADVICE }
  const connectionString = databaseUrl ?? (await startOwnDatabase(startDatabase, own, log, started))
  const onError = (error: Error): void => log.warn('database connection lost', { error: error.message })
  const onMigrating = (migrations: number): void => log.info('migrating the database', { migrations })
  const open = (): ReturnType<typeof openStorage> =>
    openStorage({
      connectionString,
      directConnectionString: environment.directDatabaseUrl,
      schema,
      onError,
      onMigrating,
    })
  const database = await reachDatabase(connectionString, open, { clock: systemClock, log })
  started.push(() => database.pool.end())
  return database
}

/** The services of this platform, which no agent on a private network may be (D54). */
function ownServices({ databaseUrl, directDatabaseUrl, rpcUrl, settings }: PlatformEnvironment) {
  return ownServicesAt([databaseUrl, directDatabaseUrl, rpcUrl, settings.facilitator?.url])
}

async function openParts(
  environment: PlatformEnvironment,
  log: Log,
  database: Database,
  started: End[],
): Promise<PlatformDependencies> {
  const { host, port, network, rpcUrl, settings, shunnedHosts, shunnedAddresses, privateNetworks } =
    environment
  const seal = await openPaymentSeal(environment, database)
  const nodeClock = createNodeClock(systemClock, log)
  const rpc = createJsonRpc(rpcUrl, { dates: nodeClock, maxAnswerBytes: MOST_NODE_ANSWER_BYTES })
  started.push(() => rpc.close())
  const outbound = createOutbound({
    localMode: settings.localMode,
    clock: systemClock,
    shunnedHosts,
    shunnedAddresses,
    privateNetworks: privateNetworks && { ...privateNetworks, ownServices: ownServices(environment) },
  })
  started.push(() => outbound.close())
  const checker = createChecker({ clock: systemClock })
  started.push(() => checker.close())
  const crypto = await loadEvmCrypto({
    onFallback: reason =>
      log.warn(
        'the native signature library did not load; signatures are verified by the slower WebAssembly one',
        { reason },
      ),
  })
  const publicUrl = settings.publicUrl ?? `http://${host}:${port}`
  const parts = {
    database,
    rpc,
    outbound,
    checker,
    crypto,
    seal,
    network,
    log,
    clock: systemClock,
    clockSkew: nodeClock.skew,
  }
  return { ...parts, settings: { ...settings, publicUrl } }
}
