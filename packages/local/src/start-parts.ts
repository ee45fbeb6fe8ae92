import { join } from 'node:path'
import { startChain, type LocalChain } from './chain/start-chain.ts'
import { TEST_KEYS } from './chain/test-keys.ts'
import { topUp } from './chain/top-up.ts'
import type { EconomyOptions } from './economy-options.ts'
import { readOrCreateSecret } from './facilitator-secret.ts'
import { startOnPort, type PortChoice } from './processes/port-choice.ts'
import { startPostgres } from './postgres/start-postgres.ts'
import { startAgentProcess, type AgentProcess } from './start-agent-process.ts'
import { startFacilitatorProcess, type FacilitatorProcess } from './start-facilitator-process.ts'
import { startSpendingAgent } from './start-spending-agent.ts'
import { startPlatformProcess, type PlatformProcess } from './start-platform-process.ts'

/** An economy that is being started, and how what came up so far is stopped. */
export interface Starting extends EconomyOptions {
  readonly chainId: number
  readonly stops: (() => Promise<unknown>)[]
}

/** What an economy is made of. */
export interface EconomyParts {
  readonly chain: LocalChain
  readonly facilitator: FacilitatorProcess
  /** Undefined where none was asked for. */
  readonly platform: PlatformProcess | undefined
  readonly agents: readonly AgentProcess[]
  /** Holds test USDC, and pays. */
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** What an agent that hires others has to pay them with. */
const HIRING_USDC_ATOMIC = 10_000_000n

/** Starts the parts in order; each that came up is in `stops`. */
export async function startParts(starting: Starting, database: Promise<string>): Promise<EconomyParts> {
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
  const { platformPort } = starting
  const platform =
    platformPort === undefined
      ? undefined
      : await step(
          'platform',
          async () => await startPlatform(starting, platformPort, { chain, facilitator, database }),
          ({ url }) => ({ text: url, note: 'registry, monitor, search' }),
        )
  const payer = TEST_KEYS.payer
  if (starting.agents.length === 0) return { chain, facilitator, platform, agents: [], payer }
  const agents = await step(
    'agents',
    () => startAgents(starting, { chain, facilitator, platform }),
    ({ length }) => ({ text: `${length} running` }),
  )
  return { chain, facilitator, platform, agents, payer }
}

/** Resolves with the URL of the database. */
export async function openDatabase({
  folder,
  databaseUrl,
  stops,
  onLine,
  signal,
}: Starting): Promise<string> {
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

async function startPlatform(
  starting: Starting,
  choice: PortChoice,
  below: Pick<EconomyParts, 'chain' | 'facilitator'> & { readonly database: Promise<string> },
): Promise<PlatformProcess> {
  const { chain, facilitator } = below
  const databaseUrl = await below.database
  const { platformEnvironment: environment = {} } = starting
  const platform = await startOnPort(choice, port =>
    startPlatformProcess({ ...starting, chain, facilitator, databaseUrl, port, environment }),
  )
  starting.stops.push(platform.stop)
  return platform
}

async function startAgents(
  starting: Starting,
  { chain, facilitator, platform }: Pick<EconomyParts, 'chain' | 'facilitator' | 'platform'>,
): Promise<readonly AgentProcess[]> {
  const wallets = starting.agents.map(({ wallet }) => wallet)
  const secret = await readOrCreateSecret(starting.folder, facilitator, wallets)
  return await allOrNone(
    starting.agents.map(async agent => {
      const options = { ...starting, chain, facilitator, secret, agent }
      const { spenderPrivateKey, hiringWallet } = agent
      if (hiringWallet !== undefined) await topUp(chain, hiringWallet.address, HIRING_USDC_ATOMIC)
      const started =
        spenderPrivateKey === undefined || platform === undefined
          ? await startAgentProcess(options)
          : await startSpendingAgent({ ...options, platform, spenderPrivateKey })
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

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}
