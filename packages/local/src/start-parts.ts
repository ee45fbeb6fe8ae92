import { basename, dirname, join } from 'node:path'
import { openChainDoor } from './chain/chain-door.ts'
import { startChain, type LocalChain } from './chain/start-chain.ts'
import { TEST_KEYS } from './chain/test-keys.ts'
import { topUp } from './chain/top-up.ts'
import type { EconomyOptions } from './economy-options.ts'
import { readOrCreateSecret } from './facilitator-secret.ts'
import { startOnPort, type PortChoice } from './processes/port-choice.ts'
import { startPostgres, type LocalPostgres } from './postgres/start-postgres.ts'
import { shownPath } from './starting/shown-path.ts'
import { startAgentProcess, type LocalAgentProcess } from './start-agent-process.ts'
import { startFacilitatorProcess, type FacilitatorProcess } from './start-facilitator-process.ts'
import { startSpendingAgent } from './start-spending-agent.ts'
import { startPlatformProcess, type PlatformProcess } from './start-platform-process.ts'

/** An economy that is starting, with the functions that stop the parts started so far. */
export interface Starting extends EconomyOptions {
  readonly chainId: number
  readonly stops: (() => Promise<unknown>)[]
}

/** The parts of an economy. */
export interface EconomyParts {
  /** Only the economy's own programs use the address in it. */
  readonly chain: LocalChain
  /** The published address of the chain: that of its proxy (see `openChainDoor`). */
  readonly rpcUrl: string
  readonly facilitator: FacilitatorProcess
  /** `undefined` when no platform was requested. */
  readonly platform: PlatformProcess | undefined
  readonly agents: readonly LocalAgentProcess[]
  /** The wallet that holds test USDC and pays. */
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** The test USDC of a wallet from which an agent hires other agents. */
const HIRING_USDC_ATOMIC = 10_000_000n

/** A database that is opened in parallel with the parts started before it. */
export interface OpeningDatabase {
  /** Resolves with its URL. */
  readonly url: Promise<string>
  /** Returns the server once it is open, if it is the economy's own. */
  own(): Pick<LocalPostgres, 'exited'> | undefined
  /** Like {@link url}, but reports the current activity while waiting. */
  wait(report: Report): Promise<string>
}

/** Receives a description of a part's current activity. */
type Report = (activity: string) => void

/** Starts the parts in order, and adds a function to `stops` for each part that has started. */
export async function startParts(starting: Starting, database: OpeningDatabase): Promise<EconomyParts> {
  const { chainId, databaseUrl, step = async (_, work) => await work(() => undefined) } = starting
  const { chain, rpcUrl } = await step(
    'chain',
    report => startLocalChain(starting, report),
    ({ chain: { usdc } }) => ({ text: `eip155:${chainId} (local)`, note: `LocalUSDC ${shorten(usdc)}` }),
  )
  const facilitator = await step(
    'facilitator',
    async report =>
      await startFacilitator(starting, report, { chain, databaseUrl: await database.wait(report) }),
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
          async report =>
            await startPlatform({ ...starting, platformPort }, report, {
              chain,
              facilitator,
              databaseUrl: await database.url,
            }),
          ({ url }) => ({ text: url, note: 'registry, monitor, search' }),
        )
  const payer = TEST_KEYS.payer
  if (starting.agents.length === 0) return { chain, rpcUrl, facilitator, platform, agents: [], payer }
  const agents = await step(
    'agents',
    report => startAgents(starting, report, { chain, facilitator, platform }),
    ({ length }) => ({ text: `${length} running` }),
  )
  return { chain, rpcUrl, facilitator, platform, agents, payer }
}

/** Opens the database in parallel with the other parts. */
export function openPlatformDatabase(starting: Starting): OpeningDatabase {
  let latest = ''
  let report: Report = () => undefined
  let own: LocalPostgres | undefined
  const start = async (): Promise<string> => {
    if (starting.databaseUrl !== undefined) return starting.databaseUrl
    own = await startDatabase(starting, activity => {
      latest = activity
      report(activity)
    })
    return own.connectionString
  }
  const url = start()
  // The failure is reported where the database is awaited.
  url.catch(() => undefined)
  return {
    url,
    own: () => own,
    wait: async given => {
      report = given
      report(latest)
      return await url
    },
  }
}

async function startDatabase(starting: Starting, onActivity: Report): Promise<LocalPostgres> {
  const { folder, stops, onLine, signal } = starting
  const database = await startPostgres({
    folder: join(folder, 'postgres'),
    advice: `${startAgain(folder)}, or set DATABASE_URL to a PostgreSQL server of yours`,
    onLog: line => onLine?.('postgres', line),
    onActivity,
    ...(signal && { signal }),
  })
  stops.push(database.stop)
  return database
}

async function startLocalChain(
  starting: Starting,
  onActivity: Report,
): Promise<Pick<EconomyParts, 'chain' | 'rpcUrl'>> {
  const { folder, chainId, chainPort = 8545, stops, onLine, signal } = starting
  const chain = await startChain({
    folder: join(folder, 'chain'),
    chainId,
    isHidden: true,
    logFile: join(folder, 'logs', 'chain.log'),
    advice: startAgain(folder),
    onLog: line => onLine?.('chain', line),
    onActivity,
    ...(signal && { signal }),
  })
  stops.push(chain.stop)
  const door = await startOnPort(chainPort, port => openChainDoor(chain.rpcUrl, port))
  stops.push(door.close)
  return { chain, rpcUrl: door.url }
}

async function startFacilitator(
  starting: Starting,
  onActivity: Report,
  below: { readonly chain: LocalChain; readonly databaseUrl: string },
): Promise<FacilitatorProcess> {
  const facilitator = await startOnPort(starting.facilitatorPort ?? 4010, port =>
    startFacilitatorProcess({ ...starting, ...below, port, onActivity, advice: adviceOf(starting) }),
  )
  starting.stops.push(facilitator.stop)
  return facilitator
}

async function startPlatform(
  starting: Starting & { readonly platformPort: PortChoice },
  onActivity: Report,
  below: Pick<EconomyParts, 'chain' | 'facilitator'> & { readonly databaseUrl: string },
): Promise<PlatformProcess> {
  const { platformPort, platformEnvironment: environment = {} } = starting
  const platform = await startOnPort(platformPort, port =>
    startPlatformProcess({
      ...starting,
      ...below,
      port,
      environment,
      onActivity,
      advice: adviceOf(starting),
    }),
  )
  starting.stops.push(platform.stop)
  return platform
}

/** The advice when facilitator or platform does not start: besides this machine, both depend on a database. */
function adviceOf({ databaseUrl, folder }: Starting): string {
  return databaseUrl === undefined
    ? startAgain(folder)
    : 'correct DATABASE_URL, or unset it: a PostgreSQL server of its own is started then'
}

/** Ledger and registry refer to blocks of the chain, so the advice never says to remove only one of them. */
function startAgain(folder: string): string {
  const shown = shownPath(folder)
  return `start again: everything in ${shown} is kept. If it fails in the same way, move ${shown} away to start from nothing`
}

async function startAgents(
  starting: Starting,
  report: Report,
  { chain, facilitator, platform }: Pick<EconomyParts, 'chain' | 'facilitator' | 'platform'>,
): Promise<readonly LocalAgentProcess[]> {
  const wallets = starting.agents.map(({ wallet }) => wallet)
  report('requesting a secret from the facilitator')
  const secret = await readOrCreateSecret(starting.folder, facilitator, wallets)
  const activities = describeTogether(report)
  return await allOrNone(
    starting.agents.map(async agent => {
      const name = basename(dirname(agent.config))
      const onActivity = (activity: string): void => activities.begin(name, activity)
      const options = { ...starting, chain, facilitator, secret, agent, onActivity }
      const { spenderPrivateKey, hiringWallet } = agent
      if (hiringWallet !== undefined) await topUp(chain, hiringWallet.address, HIRING_USDC_ATOMIC)
      const started =
        spenderPrivateKey === undefined || platform === undefined
          ? await startAgentProcess(options)
          : await startSpendingAgent({ ...options, platform, spenderPrivateKey })
      starting.stops.push(started.stop)
      activities.end(name)
      return started
    }),
  )
}

/** Describes several parts that start at the same time in one line: "summary, researcher: loading its handlers". */
function describeTogether(report: Report): {
  begin(name: string, activity: string): void
  end(name: string): void
} {
  const activities = new Map<string, string>()
  const tell = (): void => {
    const [first] = activities.values()
    const names = [...activities].filter(([, activity]) => activity === first).map(([name]) => name)
    if (first !== undefined) report(`${names.join(', ')}: ${first}`)
  }
  return {
    begin(name, activity) {
      activities.set(name, activity)
      tell()
    },
    end(name) {
      activities.delete(name)
      tell()
    },
  }
}

/** Waits for every start, even after one has failed, so that a part that starts late can be stopped. */
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
