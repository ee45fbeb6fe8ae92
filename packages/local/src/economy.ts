import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { callOnce } from './call-once.ts'
import { startChain, type LocalChain } from './chain/start-chain.ts'
import { TEST_KEYS } from './chain/test-keys.ts'
import { topUp } from './chain/top-up.ts'
import { readOrCreateSecret } from './facilitator-secret.ts'
import { describeAgent, writeLocalFile } from './local-file.ts'
import { startOnPort, type PortChoice } from './port-choice.ts'
import { startPostgres } from './postgres/start-postgres.ts'
import { startAgentProcess, type AgentProcess, type EconomyAgent } from './start-agent-process.ts'
import { startFacilitatorProcess, type FacilitatorProcess } from './start-facilitator-process.ts'

/** How the economy is started. */
export interface EconomyOptions {
  /** Where chain, ledger, jobs and secrets are kept between runs. */
  readonly folder: string
  /** None where somebody else serves the agent. */
  readonly agents: readonly EconomyAgent[]
  /** 84532 (default, Base Sepolia's) or 31337. */
  readonly chainId?: number
  /** Default 8545. */
  readonly chainPort?: PortChoice
  /** Default 4010. */
  readonly facilitatorPort?: PortChoice
  /** An existing PostgreSQL server; without it one is started from npm's binaries. */
  readonly databaseUrl?: string | undefined
  /** Wraps the start of each part, so that progress can be shown. */
  readonly step?: EconomyStep
  /** Every line the programs print, with who printed it. */
  readonly onLine?: (program: string, line: string) => void
  readonly signal?: AbortSignal
}

/** Shows the start of one part: runs the work, and may say how it went. */
export type EconomyStep = <T>(
  name: string,
  work: () => Promise<T>,
  describe: (started: T) => { readonly text?: string; readonly note?: string },
) => Promise<T>

/** A whole economy on one machine. */
export interface Economy {
  readonly chain: LocalChain
  readonly facilitator: FacilitatorProcess
  readonly agents: readonly AgentProcess[]
  /** Holds test USDC, and pays. */
  readonly payer: { readonly address: string; readonly privateKey: string }
  /** Resolves with the name of the first program that ended by itself. */
  readonly broken: Promise<string>
  /** Stops everything in order, agents first, chain last. May be called twice. */
  stop(): Promise<void>
}

/** The chain ids that may be local: those whose USDC, in the networks table, is where LocalUSDC is put. */
export const LOCAL_CHAIN_IDS = [84532, 31337] as const

const PAYER_USDC_ATOMIC = 1_000_000_000n

/**
 * Starts chain, database, facilitator and agents, as processes of their own, and funds a payer. A second start
 * with the same folder goes on where the first one stopped: chain, ledger, secrets and jobs are kept. Several may
 * run at once, each in a folder of its own.
 *
 * @throws FolderInUseError when another one runs in the folder
 * @throws PortTakenError when a port is taken and no other will do
 * @throws Error when a part does not start, with a sentence that says what to do; what had started is stopped
 */
export async function startEconomy(options: EconomyOptions): Promise<Economy> {
  const { chainId = LOCAL_CHAIN_IDS[0] } = options
  if (!LOCAL_CHAIN_IDS.some(id => id === chainId)) {
    throw new Error(`chain id ${chainId} cannot be local: choose ${LOCAL_CHAIN_IDS.join(' or ')}`)
  }
  const starting: Starting = { ...options, folder: resolve(options.folder), chainId, stops: [] }
  await mkdir(starting.folder, { recursive: true })
  let stopped = false
  const stop = callOnce(async () => {
    stopped = true
    for (const stopOne of starting.stops.toReversed()) await stopOne()
  })
  // Beside the chain: neither needs the other. That it failed is told where it is waited for.
  const database = openDatabase(starting)
  database.catch(() => undefined)
  try {
    const parts = await startParts(starting, database)
    await topUp(parts.chain, parts.payer.address, PAYER_USDC_ATOMIC)
    await writeLocalFile(starting.folder, parts, parts.agents.map(describeAgent))
    return { ...parts, broken: firstToEnd(parts, () => stopped), stop }
  } catch (error) {
    await database.catch(() => undefined)
    await stop()
    throw error
  }
}

/** An economy that is being started, and how what came up so far is stopped. */
interface Starting extends EconomyOptions {
  readonly chainId: number
  readonly stops: (() => Promise<unknown>)[]
}

type Parts = Pick<Economy, 'chain' | 'facilitator' | 'agents' | 'payer'>

async function startParts(starting: Starting, database: Promise<string>): Promise<Parts> {
  const { chainId, databaseUrl, step = async (_, work) => await work() } = starting
  const chain = await step(
    'chain',
    () => startLocalChain(starting),
    ({ usdc }) => ({ text: `eip155:${chainId} (local)`, note: `LocalUSDC ${shorten(usdc)}` }),
  )
  const facilitator = await step(
    'facilitator',
    async () => await startFacilitator(starting, chain, await database),
    ({ url }) => ({
      text: url,
      note: databaseUrl === undefined ? 'PostgreSQL (embedded)' : 'PostgreSQL (DATABASE_URL)',
    }),
  )
  const payer = TEST_KEYS.payer
  if (starting.agents.length === 0) return { chain, facilitator, agents: [], payer }
  const agents = await step(
    'agents',
    () => startAgents(starting, chain, facilitator),
    ({ length }) => ({ text: `${length} running` }),
  )
  return { chain, facilitator, agents, payer }
}

/** Resolves with the URL of the database. */
async function openDatabase({ folder, databaseUrl, stops, onLine, signal }: Starting): Promise<string> {
  if (databaseUrl !== undefined) return databaseUrl
  const database = await startPostgres({
    folder: join(folder, 'postgres'),
    onLog: line => onLine?.('postgres', line),
    ...(signal && { signal }),
  })
  stops.push(database.stop)
  return database.connectionString
}

async function startLocalChain(starting: Starting): Promise<LocalChain> {
  const { folder, chainId, chainPort = 8545, stops, onLine, signal } = starting
  const chain = await startOnPort(chainPort, port =>
    startChain({
      folder: join(folder, 'chain'),
      chainId,
      port,
      onLog: line => onLine?.('chain', line),
      ...(signal && { signal }),
    }),
  )
  stops.push(chain.stop)
  return chain
}

async function startFacilitator(
  starting: Starting,
  chain: LocalChain,
  databaseUrl: string,
): Promise<FacilitatorProcess> {
  const facilitator = await startOnPort(starting.facilitatorPort ?? 4010, port =>
    startFacilitatorProcess({ ...starting, chain, databaseUrl, port }),
  )
  starting.stops.push(facilitator.stop)
  return facilitator
}

async function startAgents(
  starting: Starting,
  chain: LocalChain,
  facilitator: FacilitatorProcess,
): Promise<readonly AgentProcess[]> {
  const wallets = starting.agents.map(({ wallet }) => wallet)
  const secret = await readOrCreateSecret(starting.folder, facilitator, wallets)
  return await allOrNone(
    starting.agents.map(async agent => {
      const started = await startAgentProcess({ ...starting, chain, facilitator, secret, agent })
      starting.stops.push(started.stop)
      return started
    }),
  )
}

/** Waits for every start, also after one has failed: what comes up late must be there to be stopped. */
async function allOrNone<T>(starts: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(starts)
  return settled.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

function firstToEnd({ chain, facilitator, agents }: Parts, wasStopped: () => boolean): Promise<string> {
  const programs = [
    { name: 'the chain', exited: chain.exited },
    { name: 'the facilitator', exited: facilitator.exited },
    ...agents.map(({ declaration, exited }) => ({ name: declaration.name, exited })),
  ]
  return new Promise(tell => {
    for (const { name, exited } of programs) {
      void exited.then(() => {
        if (!wasStopped()) tell(name)
      })
    }
  })
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}
