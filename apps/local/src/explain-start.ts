import { createServer } from 'node:net'
import { existsSync } from 'node:fs'
import { FolderInUseError, PortTakenError } from '@farebox/local/economy'
import { findPortOwner } from 'farebox/internal/command-line'
import { folderOf, PORT_NAMES, wordsOf, type Flags, type PortName } from '../../../scripts/start-flags.mjs'

/** The parameters of the start: the root of the clone, the flags, and the number of ports for agents. */
export interface Wanted {
  readonly flags: Flags
  /** Root folder of the clone. */
  readonly root: string
  readonly agentCount: number
}

/** How many ports above one in use are searched for a free port. */
const LOOK_UP = 200
const SHOWN_COMMAND_CHARACTERS = 60

/**
 * Explains why `npm start` could not start: names every conflict and suggests a command that uses free ports or another
 * folder. Returns the error unchanged when there is nothing to add.
 */
export async function explainStart(error: unknown, wanted: Wanted): Promise<unknown> {
  if (error instanceof FolderInUseError)
    return new Error(await explainFolder(error, wanted), { cause: error })
  if (!(error instanceof PortTakenError)) return error
  const taken = await findTaken(wanted)
  // The ports became free in the meantime.
  if (taken.length === 0) return error
  const width = Math.max(...taken.map(({ name }) => name.length))
  const lines = [
    taken.length === 1 ? 'a port is taken' : `${taken.length} ports are taken`,
    ...taken.map(({ name, port, by }) => `    ${String(port).padStart(5)}  ${name.padEnd(width)}  by ${by}`),
    '  end what is there, or start on ports that are free now:',
    `  ${await commandOnFreePorts(wanted, wanted.flags)}`,
  ]
  return new Error(lines.join('\n'), { cause: error })
}

async function explainFolder({ pid }: FolderInUseError, wanted: Wanted): Promise<string> {
  const { flags, root } = wanted
  const { folder } = flags
  const second = Array.from({ length: 98 }, (_, index) => `${folder}-${index + 2}`).find(
    name => !existsSync(folderOf(root, name)),
  )
  return [
    `an economy runs in ${folder}/ already, as process ${pid}`,
    `  its addresses are in ${folder}/local.json; Ctrl-C in its terminal ends it`,
    '  for a second one beside it:',
    `  ${await commandOnFreePorts(wanted, { ...flags, folder: second ?? `${folder}-${Date.now()}` })}`,
  ].join('\n')
}

interface Taken {
  readonly name: string
  readonly port: number
  readonly by: string
}

async function findTaken(wanted: Wanted): Promise<readonly Taken[]> {
  const found = await Promise.all(
    PORT_NAMES.flatMap(name => portsOf(name, wanted).map(port => ({ name, port }))).map(
      async ({ name, port }) =>
        (await isFree(port)) ? undefined : { name, port, by: await describeOwner(port) },
    ),
  )
  return found.filter(one => one !== undefined)
}

async function describeOwner(port: number): Promise<string> {
  const owner = await findPortOwner(port)
  if (owner === undefined) return 'another program'
  const { pid, commandLine } = owner
  const shown =
    commandLine.length > SHOWN_COMMAND_CHARACTERS
      ? `${commandLine.slice(0, SHOWN_COMMAND_CHARACTERS - 1)}…`
      : commandLine
  return `process ${pid}, ${shown}`
}

/** The command with all requested flags, with each port in use replaced by the next free one. */
async function commandOnFreePorts(wanted: Wanted, flags: Flags): Promise<string> {
  const chosen = new Set<number>()
  const ports: { [name in PortName]: number } = { ...flags.ports }
  for (const name of PORT_NAMES) {
    for (let port = flags.ports[name]; port < flags.ports[name] + LOOK_UP; port += 1) {
      const needed = portsOf(name, wanted, port)
      const free = await Promise.all(needed.map(async one => !chosen.has(one) && (await isFree(one))))
      if (!free.every(Boolean)) continue
      needed.forEach(one => chosen.add(one))
      ports[name] = port
      break
    }
  }
  return ['npm start --', ...wordsOf({ ...flags, ports })].join(' ')
}

function portsOf(
  name: PortName,
  { flags, agentCount }: Wanted,
  first: number = flags.ports[name],
): readonly number[] {
  return Array.from({ length: name === 'agents' ? agentCount : 1 }, (_, index) => first + index)
}

async function isFree(port: number): Promise<boolean> {
  if (port === 0) return true
  return await new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
