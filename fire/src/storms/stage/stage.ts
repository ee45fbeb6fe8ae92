import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { startPostgres } from '@farebox/local/postgres/start-postgres'
import { startAgentProcess } from '@farebox/local/src/start-agent-process'
import {
  startFacilitatorProcess,
  type FacilitatorProcess,
} from '@farebox/local/src/start-facilitator-process'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { Pool } from 'undici'
import { setStage, type Stage as BaseStage } from '../../../../e2e/stage/stage.ts'
import { watchChain } from '../audit/read-chain.ts'
import { EventLog } from '../event-log.ts'
import { findLastingPort } from '@farebox/protocol/src/test-setup/lasting-port'
import {
  HANG_MS,
  manageProcess,
  type Life,
  type ManagedKind,
  type ManagedProcess,
} from './managed-process.ts'
import { createStore, type StageStore } from './stage-store.ts'
import { startRedis } from './start-redis.ts'

/** An agent that can be killed. */
export interface StageAgent {
  readonly name: string
  readonly store: StageStore
  /** Keep-alive connections, over all its runs. */
  readonly connections: Pool
}

/** The options of an agent. */
interface AgentPlan {
  /** Shares its jobs with no other agent. */
  readonly ownStore?: string
  /** Instead of the stage's own Redis. */
  readonly store?: StageStore
  /** Instead of the facilitators that are assigned in turn. */
  readonly facilitatorUrl?: string
  readonly port?: number
  readonly environment?: { readonly [name: string]: string }
}

/** The options of a facilitator. */
interface FacilitatorPlan {
  /** A node instead of the chain's own. */
  readonly rpcUrl?: string
  /** Through a pooler, instead of the stage's database itself. */
  readonly pooledUrl?: string
}

/** The payer. */
export interface Payer {
  /** Lower-case. */
  readonly address: string
  readonly privateKey: string
}

/** The common name of all replicas, so that a payment bound to the job is valid at each (D13). */
export const PUBLIC_URL = 'https://storms.example'
/** The receiving wallet. */
export const WALLET = TEST_KEYS.agent.address
/** The schema of the ledger, shared by all facilitators. */
export const LEDGER_SCHEMA = 'storms'
/** Those of every facilitator: the holder of an account's lease sends from it. */
const RELAYER_KEYS = [TEST_KEYS.relayer.privateKey, TEST_KEYS.hirer.privateKey]
const CONFIG = fileURLToPath(new URL('../agent/agent.json', import.meta.url))
const CONNECTIONS = 250
/** A log line of an agent that could not store the result of a run; a failed claim has none. */
const UNKEPT = /the job store failed (?!before the job was claimed).*"job":"([^"]+)"/

/** What the stores of a stage are started with: `manage` keeps a process up, and `onStrike` ends other things. */
export interface StoreBase extends Pick<BaseStage, 'folder' | 'onStrike'> {
  manage<Started extends Life>(
    kind: ManagedKind,
    name: string,
    launch: () => Promise<Started>,
  ): Promise<Started>
}

/** How a stage differs from the usual one. */
export interface StagePlan {
  /** In place of the PostgreSQL that is one of the victims; resolves to its connection string. */
  startDatabase?(base: StoreBase): Promise<string>
  /** Default: each transaction gets a block at once. */
  readonly blockTimeSeconds?: number
}

/**
 * Starts chain, Redis and PostgreSQL, runs the play on them, and ends everything that was started, in any case.
 */
export async function playOnStage<Seen>(
  signal: AbortSignal,
  play: (stage: Stage) => Promise<Seen>,
  plan: StagePlan = {},
): Promise<Seen> {
  const base = await setStage(plan)
  try {
    const stores = await openStores(base, signal, plan)
    return await play({ ...stores, ...createParties(stores), fundPayer: createFaucet(base) })
  } finally {
    await base.strike()
  }
}

type Stores = Awaited<ReturnType<typeof openStores>>

/** Agents, facilitators, their stores and their chain, each in its own process. */
export type Stage = Stores & ReturnType<typeof createParties> & { fundPayer: ReturnType<typeof createFaucet> }

async function openStores(
  { folder, chain, crypto, secret, onStrike }: BaseStage,
  signal: AbortSignal,
  plan: StagePlan,
) {
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  const chainWatch = watchChain(chain)
  onStrike(chainWatch.stop)
  const eventLog = new EventLog()
  const victims: ManagedProcess[] = []
  const manage = async <Started extends Life>(
    kind: ManagedKind,
    name: string,
    launch: () => Promise<Started>,
  ): Promise<Started> => {
    signal.throwIfAborted()
    const [managed, first] = await manageProcess(kind, name, launch, lastLines => {
      eventLog.mishaps.push(`${name} ended unexpectedly: ${lastLines.split('\n').slice(-3).join(' | ')}`)
    })
    victims.push(managed)
    onStrike(async () => await managed.take()?.stop())
    return first
  }
  const redisPort = await findLastingPort()
  await manage('redis', 'redis', () => startRedis({ folder: join(folder, 'redis'), port: redisPort }))
  // The stage's own server may be the machine's.
  const startServer = async (): Promise<string> => {
    const options = { folder: join(folder, 'storms-postgres'), port: await findLastingPort() }
    return (await manage('postgres', 'postgres', () => startPostgres(options))).connectionString
  }
  const databaseUrl = await (plan.startDatabase?.({ folder, onStrike, manage }) ?? startServer())
  return {
    signal,
    folder,
    chain,
    crypto,
    secret,
    /** Registered functions are called when the stage is ended, the last first. */
    onStrike,
    chainWatch,
    eventLog,
    redisPort,
    databaseUrl,
    /** The file in which the handlers record their runs. */
    runsFile: join(folder, 'runs.jsonl'),
    /** The processes that can be struck. */
    victims,
    manage,
  }
}

function createParties(stores: Stores) {
  const { folder, chain, databaseUrl, redisPort, runsFile, eventLog, manage } = stores
  const facilitators: FacilitatorProcess[] = []
  const agents: StageAgent[] = []
  let secret: Promise<string> | undefined
  const openStore = (prefix: string): StageStore =>
    createStore({
      setting: `redis://127.0.0.1:${redisPort}/0?prefix=${prefix}`,
      tag: `${prefix}:`,
      primary: () => redisPort,
    })
  const shared = openStore('farebox')
  return {
    agents,
    async addFacilitator(plan: FacilitatorPlan = {}): Promise<FacilitatorProcess> {
      const { rpcUrl = chain.rpcUrl, pooledUrl } = plan
      const name = `facilitator-${facilitators.length + 1}`
      const port = await findLastingPort()
      // A stage never reaches this limit.
      const environment = {
        DATABASE_SCHEMA: LEDGER_SCHEMA,
        RELAYER_PRIVATE_KEY: RELAYER_KEYS.join(','),
        FACILITATOR_REQUESTS_PER_SECOND: '1000000',
        FACILITATOR_DAILY_SETTLEMENTS: '100000000',
        ...(pooledUrl !== undefined && { DATABASE_DIRECT_URL: databaseUrl }),
      }
      const at = { chain: { ...chain, rpcUrl }, databaseUrl: pooledUrl ?? databaseUrl, port }
      const options = { folder, ...at, name, environment }
      const facilitator = await manage('facilitator', name, () => startFacilitatorProcess(options))
      facilitators.push(facilitator)
      return facilitator
    },
    async addAgent(plan: AgentPlan = {}): Promise<StageAgent> {
      const { ownStore, facilitatorUrl, port, environment } = plan
      const facilitator = facilitators[agents.length % facilitators.length]
      if (facilitator === undefined) throw new Error('an agent needs a facilitator')
      secret ??= stores.secret(facilitator, [WALLET])
      const name = ownStore ?? `agent-${agents.length + 1}`
      const store = plan.store ?? (ownStore === undefined ? shared : openStore(ownStore))
      const options = {
        folder,
        chain,
        name,
        agent: { config: CONFIG, wallet: WALLET, port: port ?? (await findLastingPort()) },
        facilitator: { ...facilitator, url: facilitatorUrl ?? facilitator.url },
        secret: await secret,
        store: store.setting,
        environment: { SERVICE_PUBLIC_URL: PUBLIC_URL, STORM_RUNS_FILE: runsFile, ...environment },
        onLine(_: string, line: string) {
          const jobId = /"event":"execute","job":"([^"]+)"/.exec(line)?.[1] ?? ''
          eventLog.orders.get(jobId)?.begunBy.push(name)
          if (plan.store !== undefined) noteUnkept(eventLog, line)
        },
      }
      const { url } = await manage('agent', name, () => startAgentProcess(options))
      const limits = { headersTimeout: HANG_MS, bodyTimeout: HANG_MS }
      const connections = new Pool(url, { connections: CONNECTIONS, ...limits })
      // No caller waits for an answer at that time.
      stores.signal.addEventListener('abort', () => void connections.destroy())
      stores.onStrike(() => connections.destroy())
      const agent = { name, store, connections }
      agents.push(agent)
      return agent
    },
  }
}

/** Notes a job whose end an agent could not keep: the replicas of its store may be late, even without a strike. */
export function noteUnkept({ orders }: EventLog, line: string): void {
  orders.get(UNKEPT.exec(line)?.[1] ?? '')?.unkeptMs.push(Date.now())
}

/** Creates accounts with this much USDC. */
function createFaucet({ chain, crypto }: BaseStage): (usdcAtomic: bigint) => Promise<Payer> {
  // One at a time: the faucet is one account.
  let funding: Promise<unknown> = Promise.resolve()
  return async usdcAtomic => {
    const privateKey = `0x${randomBytes(32).toString('hex')}`
    const address = privateKeySigner(crypto, privateKey).address.toLowerCase()
    const funded = funding.then(() => fund(chain, address, { usdcAtomic }))
    funding = funded
    await funded
    return { address, privateKey }
  }
}
