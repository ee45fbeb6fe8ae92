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

/** A whole economy on one machine. */
export interface Economy extends EconomyParts {
  /** Resolves once a program has ended by itself, with a message for a person: its name, exit, last lines and log. */
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
  // Beside the chain: neither needs the other.
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

/** Keys and a ledger, wherever in whose repository the folder is. */
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
