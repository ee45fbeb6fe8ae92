import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fund } from '@farebox/local/chain/faucet'
import { createSecret } from '@farebox/local/src/facilitator-secret'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import { fromHex } from '@farebox/payments/src/crypto/bytes'
import { setStage, type Stage } from '../../../e2e/stage/stage.ts'
import { openLine, type BreakableLine } from './breakable-line.ts'
import { writeBetrayingAgent } from './betraying-agent.ts'
import { scanChildren } from './child-output.ts'
import { dropSchema } from './drop-schema.ts'
import { freePort } from './free-port.ts'
import { startHostileFacilitator, type HostileFacilitator } from './hostile-facilitator.ts'
import { startKeyedNode, type KeyedNode } from './keyed-node.ts'
import { startLockedRedis } from './locked-redis.ts'
import { plantSecrets, type Planted } from './planted.ts'
import type { SecretScan } from './secret-scan.ts'
import { serveAgent, type ServingAgent } from './serve-agent.ts'

/** Inside the repository: programs in it find the packages. */
const FOLDER = fileURLToPath(new URL('../../../.farebox/secrets', import.meta.url))

/** A paid agent, and who stands between it and its facilitator. */
export interface WatchedAgent {
  readonly process: ServingAgent
  readonly wallet: string
  readonly facilitator: HostileFacilitator
  readonly metricsUrl: string
}

/** Real processes that were told planted secrets, each beside somebody who would like to repeat them. */
export interface SecretStage {
  readonly stage: Stage
  readonly scan: SecretScan
  readonly planted: Planted
  /** A folder for programs of the stage, where packages are found. */
  readonly folder: string
  readonly facilitator: FacilitatorProcess
  readonly facilitatorMetricsUrl: string
  readonly node: KeyedNode
  readonly database: BreakableLine
  readonly redis: BreakableLine
  /** Logs text, keeps its jobs in Redis, believes our facilitator. */
  readonly believer: WatchedAgent
  /** Logs JSON, keeps its jobs in LMDB, and asks the chain itself. */
  readonly doubter: WatchedAgent
  /** In dev mode, with all the secrets of the believer. */
  readonly free: ServingAgent
  stop(): Promise<void>
}

/** For the facilitators that do not start. */
export const OTHER_SCHEMA = `secrets_${process.pid}`

const WALLETS = [
  '0x00000000000000000000000000000000000fa4e1',
  '0x00000000000000000000000000000000000fa4e2',
] as const

/** Sets it. All that its programs say is read by the scan from the first line on. */
export async function setSecretStage(scan: SecretScan): Promise<SecretStage> {
  const planted = plantSecrets(scan)
  const stopScanning = scanChildren(scan)
  const stage = await setStage()
  stage.onStrike(() => Promise.resolve(stopScanning()))
  try {
    return await buildStage(stage, scan, planted)
  } catch (error) {
    await stage.strike()
    throw error
  }
}

async function buildStage(stage: Stage, scan: SecretScan, planted: Planted): Promise<SecretStage> {
  const folder = join(FOLDER, String(process.pid))
  await mkdir(folder, { recursive: true })
  stage.onStrike(() => rm(folder, { recursive: true, force: true }))
  // What programs that refuse to start have made before they do.
  stage.onStrike(() => dropSchema(stage.databaseUrl, OTHER_SCHEMA))
  const addressOf = (key: string): string => stage.crypto.addressOf(fromHex(key))
  await fund(stage.chain, addressOf(planted.relayerKey), { wei: 10n ** 20n })
  await fund(stage.chain, addressOf(planted.payerKey), { usdcAtomic: 1_000_000_000n })
  const node = await startKeyedNode(stage.chain.rpcUrl, {
    inPath: planted.nodeKeyInPath,
    inQuery: planted.nodeKeyInQuery,
  })
  stage.onStrike(node.stop)
  const database = await openDatabaseLine(stage)
  const redis = await startLockedRedis(stage, planted.redisPassword)
  const { facilitator, metricsPort } = await startFacilitator(stage, planted, node, database)
  const keeper = { url: facilitator.url, adminToken: planted.adminToken }
  const { secret } = await createSecret(keeper, { owner: 'secrets', wallets: [...WALLETS] })
  scan.plant('FACILITATOR_SECRET', secret)
  const parts = {
    stage,
    planted,
    facilitator,
    secret,
    config: await writeBetrayingAgent(join(folder, 'agent')),
  }
  const redisUrl = `redis://:${encodeURIComponent(planted.redisPassword)}@127.0.0.1:${redis.port}/0?prefix=secrets`
  const believer = await startAgent(parts, 'believer', { SERVICE_LOG: 'text', SERVICE_STORE: redisUrl })
  const doubter = await startAgent(parts, 'doubter', { SERVICE_LOG: 'json', SERVICE_RPC_URL: node.url })
  const free = await startFreeAgent(parts, node, redisUrl)
  return {
    stage,
    scan,
    planted,
    folder,
    facilitator,
    facilitatorMetricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    node,
    database,
    redis,
    believer,
    doubter,
    free,
    stop: () => stage.strike(),
  }
}

async function openDatabaseLine(stage: Stage): Promise<BreakableLine> {
  const { hostname, port } = new URL(stage.databaseUrl)
  const line = await openLine({ host: hostname, port: Number(port || 5432) })
  stage.onStrike(line.stop)
  return line
}

async function startFacilitator(
  stage: Stage,
  planted: Planted,
  node: KeyedNode,
  database: BreakableLine,
): Promise<{ readonly facilitator: FacilitatorProcess; readonly metricsPort: number }> {
  const url = new URL(stage.databaseUrl)
  // A server that trusts this machine takes any password.
  if (url.password === '') url.password = planted.databasePassword
  url.hostname = '127.0.0.1'
  url.port = String(database.port)
  const metricsPort = await freePort()
  const facilitator = await stage.facilitator({
    rpcUrl: node.url,
    environment: {
      DATABASE_URL: url.href,
      RELAYER_PRIVATE_KEY: planted.relayerKey,
      FACILITATOR_ADMIN_TOKEN: planted.adminToken,
      METRICS_PORT: String(metricsPort),
    },
  })
  return { facilitator, metricsPort }
}

interface AgentParts {
  readonly stage: Stage
  readonly planted: Planted
  readonly facilitator: FacilitatorProcess
  readonly secret: string
  readonly config: string
}

async function startAgent(
  { stage, planted, facilitator, secret, config }: AgentParts,
  name: 'believer' | 'doubter',
  environment: { readonly [name: string]: string },
): Promise<WatchedAgent> {
  const hostile = await startHostileFacilitator(facilitator.url, { hidesHolds: name === 'doubter' })
  stage.onStrike(hostile.stop)
  const url = new URL(hostile.url)
  url.username = 'agent'
  url.password = planted.facilitatorPassword
  const wallet = name === 'believer' ? WALLETS[0] : WALLETS[1]
  const metricsPort = await freePort()
  const serving = await serveAgent(stage, config, {
    AGENT_WALLET_ADDRESS: wallet,
    SERVICE_DEV_MODE: 'false',
    FACILITATOR_SECRET: secret,
    FACILITATOR_URL: url.href.replace(/\/$/, ''),
    SERVICE_STORE: `lmdb:${join(stage.folder, 'jobs', name)}`,
    SERVICE_METRICS_PORT: String(metricsPort),
    ...environment,
  })
  return {
    process: serving,
    wallet,
    facilitator: hostile,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
  }
}

function startFreeAgent(parts: AgentParts, node: KeyedNode, redisUrl: string): Promise<ServingAgent> {
  const { stage, facilitator, secret, config } = parts
  return serveAgent(stage, config, {
    AGENT_WALLET_ADDRESS: WALLETS[0],
    SERVICE_DEV_MODE: 'true',
    FACILITATOR_SECRET: secret,
    FACILITATOR_URL: facilitator.url,
    SERVICE_STORE: redisUrl,
    SERVICE_RPC_URL: node.url,
  })
}
