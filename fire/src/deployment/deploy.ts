import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFacilitatorSecret } from '@farebox/local/src/facilitator-secret'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { until } from '@farebox/protocol/src/test-setup/until'
import { Pool } from 'undici'
import type { RedisSentinels } from 'farebox/src/jobs/test-setup/redis-groups'
import type { Cluster } from '../failover/cluster/start-cluster.ts'
import { LEDGER_SCHEMA, noteUnkept, WALLET, type Stage } from '../storms/stage/stage.ts'
import type { StageStore } from '../storms/stage/stage-store.ts'
import type { ManagedKind } from '../storms/stage/managed-process.ts'
import type { Networks } from './engine/networks.ts'
import { fillEnv, placeSecrets, prepareOperator } from './engine/operator-files.ts'
import {
  graceMsOf,
  imageOf,
  networksOf,
  readImages,
  type Compose,
  type Image,
} from './engine/read-compose.ts'
import { startContainer } from './engine/start-container.ts'

/** What runs outside of the containers, as the company operates it. */
export interface Outside {
  readonly networks: Networks
  readonly cluster: Cluster
  readonly redis: RedisSentinels
  /** Where the agent keeps its jobs, which is in this Redis. */
  readonly store: StageStore
}

/** The deployment, from the outside. */
export interface Deployed {
  /** The platforms, through the balancer. */
  readonly platformUrl: string
  /** Connections to the agents' name, through the balancer. */
  readonly agents: Pool
}

/** The agent's name on the private network, as the Compose file has it. */
export const AGENT_HOST = 'agent.internal'
/** Owns and is paid for the agents that take no jobs. */
export const QUIET_OWNER = TEST_KEYS.secondAgent
const AGENT_FOLDER = fileURLToPath(new URL('../storms/agent', import.meta.url))
const RESPONDER = fileURLToPath(new URL('./responder.mjs', import.meta.url))
const READY = { agent: '"event":"listening"', farebox: '"event":"listening"', haproxy: 'Loading success' }
const KINDS: { readonly [service: string]: ManagedKind } = { agent: 'agent', facilitator: 'facilitator' }
/** Callers of one name share them. */
const CONNECTIONS = 400
const NODE_PORT = 8545

/** Starts every service of the Compose file in the order of the operator's page, but its stores, and a responder. */
export async function deploy(
  stage: Stage,
  compose: Compose,
  { networks, cluster, store }: Outside,
  quietNames: readonly string[],
): Promise<Deployed> {
  const folder = join(stage.folder, 'operator')
  await prepareOperator(folder, TEST_KEYS.relayer.privateKey)
  // The handlers run as a user without rights.
  await writeFile(stage.runsFile, '')
  await chmod(stage.runsFile, 0o666)
  const images = await readImages(AGENT_FOLDER, folder)
  const adminToken = randomBytes(24).toString('hex')
  const nodeUrl = await openNode(stage, networks.host('default'))
  const values = envFor(stage, cluster, { adminToken, nodeUrl })
  const start = async (service: string, given: Values = {}): Promise<Addresses> =>
    await startService(stage, { folder, compose, networks, images }, service, given)
  const balancer = await start('balancer')
  await start('facilitator', values.facilitator)
  await start('platform', values.platform)
  const facilitator = { url: `http://${balancer.get('default')}:4010`, adminToken }
  const { secret } = await until(() =>
    // An owner that an operator names has no daily number of settlements.
    createFacilitatorSecret(facilitator, { owner: 'the operator', wallets: [WALLET] }).catch(() => undefined),
  )
  const kept = { SERVICE_STORE: store.setting, STORM_RUNS_FILE: stage.runsFile }
  await start('agent', { ...values.agent, ...kept, FACILITATOR_SECRET: secret })
  await startResponder(stage, networks, folder, quietNames)
  const agents = await openAgents(stage, folder, balancer.get('agents') ?? '')
  return { platformUrl: `http://${balancer.get('default')}:4000`, agents }
}

type Values = { readonly [name: string]: string }

/** What an operator writes into the `.env` files. */
function envFor(
  { chain }: Stage,
  cluster: Cluster,
  { adminToken, nodeUrl }: { readonly adminToken: string; readonly nodeUrl: string },
) {
  const network = `eip155:${chain.chainId}`
  const common = { EVM_RPC_URL: nodeUrl, FACILITATOR_ADMIN_TOKEN: adminToken }
  return {
    facilitator: {
      ...common,
      FACILITATOR_NETWORK: network,
      DATABASE_SCHEMA: LEDGER_SCHEMA,
      DATABASE_URL: cluster.pooledUrl,
      DATABASE_DIRECT_URL: cluster.url,
    },
    platform: {
      ...common,
      PLATFORM_NETWORK: network,
      DATABASE_URL: cluster.url,
      AGENT_REGISTRY_ADDRESS: chain.agentRegistry,
      PLATFORM_PRIVATE_OWNERS: `${WALLET},${QUIET_OWNER.address}`,
      PLATFORM_CHECK_SECONDS: '120',
    },
    agent: { AGENT_WALLET_ADDRESS: WALLET, SERVICE_NETWORK: network },
  }
}

type Addresses = ReadonlyMap<string, string>

interface Engine {
  readonly folder: string
  readonly compose: Compose
  readonly networks: Networks
  readonly images: ReadonlyMap<string, Image>
}

/** Starts the replicas of a service; resolves to the addresses of the last. */
async function startService(
  stage: Stage,
  { folder, compose, networks, images }: Engine,
  service: string,
  values: Values,
): Promise<Addresses> {
  const plan = compose.services[service]
  const image = plan && images.get(imageOf(plan))
  if (plan === undefined || image === undefined) throw new Error(`the Compose file has no ${service}`)
  const files = (plan.secrets ?? []).map(name => [name, compose.secrets[name]?.file ?? ''])
  const secretsFolder = await placeSecrets(
    folder,
    service,
    Object.fromEntries(files) as { [name: string]: string },
  )
  const given = plan.env_file === undefined ? {} : await fillEnv(folder, service, values)
  const named = [...networksOf(plan)].map(([name, aliases]) => [name, [service, ...aliases]] as const)
  const names = Array.from({ length: plan.deploy?.replicas ?? 1 }, (_, index) => `${service}-${index + 1}`)
  // Together, as an engine starts them.
  const started = await allOf(
    names.map(name =>
      startContainer(stage, networks, {
        name,
        kind: KINDS[service] ?? 'other',
        networks: new Map(named),
        command: plan.command?.split(' ') ?? image.command,
        environment: { ...image.environment, ...given, ...plan.environment },
        folder: image.folder,
        secretsFolder,
        ready: READY[imageOf(plan) as keyof typeof READY],
        stopSignal: image.stopSignal,
        graceMs: graceMsOf(plan),
        onLine: line => noteUnkept(stage.eventLog, line),
      }),
    ),
  )
  return started.at(-1) ?? new Map()
}

/** Rejects only when all have settled: what has started by then is ended with the stage. */
async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises)
  return await Promise.all(promises)
}

async function startResponder(
  stage: Stage,
  networks: Networks,
  folder: string,
  names: readonly string[],
): Promise<void> {
  const certificate = { agent_certificate: 'secrets/agent.pem' }
  await startContainer(stage, networks, {
    name: 'responder',
    kind: 'other',
    networks: new Map([['agents', names]]),
    command: [process.execPath, RESPONDER],
    environment: {
      WALLET: QUIET_OWNER.address,
      NETWORK: `eip155:${stage.chain.chainId}`,
      CERTIFICATE: '/run/secrets/agent_certificate',
    },
    folder: dirname(RESPONDER),
    secretsFolder: await placeSecrets(folder, 'responder', certificate),
    ready: READY.agent,
    stopSignal: 'SIGKILL',
    graceMs: 1_000,
  })
}

/** The chain's node listens on loopback: this leads containers to it. */
async function openNode({ chain, onStrike }: Stage, host: string): Promise<string> {
  const { hostname, port } = new URL(chain.rpcUrl)
  const server = createServer(socket => {
    const node = connect(Number(port), hostname)
    node.on('error', () => socket.destroy())
    socket.on('error', () => node.destroy())
    socket.on('close', () => node.destroy())
    socket.pipe(node).pipe(socket)
  })
  server.listen(NODE_PORT, host)
  await once(server, 'listening')
  onStrike(async () => void server.close())
  return `http://${host}:${NODE_PORT}`
}

/** Callers of the agents resolve their name to the balancer, and trust the authority of the private network. */
async function openAgents(stage: Stage, folder: string, address: string): Promise<Pool> {
  const ca = await readFile(join(folder, 'secrets', 'agents_ca.pem'))
  const lookup = (_: string, __: object, done: (error: null, found: readonly object[]) => void): void =>
    done(null, [{ address, family: 4 }])
  const pool = new Pool(`https://${AGENT_HOST}`, {
    connections: CONNECTIONS,
    connect: { ca, lookup } as object,
  })
  stage.signal.addEventListener('abort', () => void pool.destroy())
  stage.onStrike(() => pool.destroy())
  return pool
}
