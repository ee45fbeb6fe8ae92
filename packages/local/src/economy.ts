import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describeError } from '@farebox/server/log'
import { callOnce } from './processes/call-once.ts'
import { topUp } from './chain/top-up.ts'
import type { EconomyOptions } from './economy-options.ts'
import { describeAgent, writeLocalFile } from './local-file.ts'
import {
  openPlatformDatabase,
  startParts,
  type EconomyParts,
  type OpeningDatabase,
  type Starting,
} from './start-parts.ts'
import { describeEnded } from './starting/not-started-error.ts'
import { shownPath } from './starting/shown-path.ts'

export type { EconomyOptions, EconomyStep } from './economy-options.ts'
export { FolderInUseError } from './processes/claim-folder.ts'
export { PortTakenError } from './processes/port-taken-error.ts'

/** A complete local economy on one machine. */
export interface Economy extends EconomyParts {
  /** Resolves when a program ends by itself, with a message for a person: its name, exit, last lines and log file. */
  readonly broken: Promise<string>
  /** Stops all parts in order: agents first, the chain last. May be called twice. */
  stop(): Promise<void>
}

/** The chain ids that a local chain may use: those for which the networks table has USDC at the address of LocalUSDC. */
export const LOCAL_CHAIN_IDS = [84532, 31337] as const

const PAYER_USDC_ATOMIC = 1_000_000_000n

/**
 * Starts chain, database, facilitator and agents, each as its own process, and funds a payer. A second start with the same
 * folder continues with the state of the first one: chain, ledger, secrets and jobs are kept. Several economies may run at
 * once, each in its own folder.
 *
 * @throws FolderInUseError when another economy runs in the folder
 * @throws PortTakenError when a port is taken and the options allow no other
 * @throws Error when a part does not start, with a sentence that says what to do; the parts that had started are stopped
 * @example
 * ```ts
 * import { startEconomy } from '@farebox/local/economy'
 *
 * const economy = await startEconomy({
 *   folder: '.farebox',
 *   agents: [{ config: 'agent.json', wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65', port: 3001 }],
 * })
 * console.log(economy.agents.map(({ url }) => url), economy.payer.address)
 * await economy.stop()
 * ```
 */
export async function startEconomy(options: EconomyOptions): Promise<Economy> {
  const { chainId = LOCAL_CHAIN_IDS[0] } = options
  if (!LOCAL_CHAIN_IDS.some(id => id === chainId)) {
    throw new Error(`chain id ${chainId} cannot be local: choose ${LOCAL_CHAIN_IDS.join(' or ')}`)
  }
  const starting: Starting = { ...options, folder: resolve(options.folder), chainId, stops: [] }
  await makeFolder(starting.folder)
  await keepOutOfRepositories(starting.folder)
  let stopped = false
  const stop = callOnce(async () => {
    stopped = true
    for (const stopOne of starting.stops.toReversed()) await stopOne()
  })
  // The database starts in parallel with the chain: neither depends on the other.
  const database = openPlatformDatabase(starting)
  try {
    const parts = await startParts(starting, database)
    await topUp(parts.chain, parts.payer.address, PAYER_USDC_ATOMIC)
    await writeLocalFile(starting.folder, parts, parts.agents.map(describeAgent))
    return { ...parts, broken: firstToEnd({ ...parts, database: database.own() }, () => stopped), stop }
  } catch (error) {
    await database.url.catch(() => undefined)
    await stop()
    throw error
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    throw new Error(`the folder ${shownPath(folder)} cannot be made: ${describeError(error)}`, {
      cause: error,
    })
  }
}

/** Excludes the folder from version control, because it contains keys and a ledger and may be inside a repository. */
async function keepOutOfRepositories(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), '*\n')
}

function firstToEnd(
  {
    chain,
    facilitator,
    platform,
    agents,
    database,
  }: EconomyParts & { readonly database: ReturnType<OpeningDatabase['own']> },
  wasStopped: () => boolean,
): Promise<string> {
  const programs = [
    { name: 'the chain', exited: chain.exited },
    ...(database === undefined ? [] : [{ name: 'PostgreSQL', exited: database.exited }]),
    { name: 'the facilitator', exited: facilitator.exited },
    ...(platform === undefined ? [] : [{ name: 'the platform', exited: platform.exited }]),
    ...agents.map(({ declaration, exited }) => ({ name: declaration.name, exited })),
  ]
  return new Promise(tell => {
    for (const { name, exited } of programs) {
      void exited.then(exit => {
        if (!wasStopped()) tell(describeEnded(name, exit))
      })
    }
  })
}
