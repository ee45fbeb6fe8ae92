import { printable, printableJson } from '../printable.ts'
import { CannotRun, EXIT, type CommandWorld, type ExitCode } from './command-world.ts'
import { AGENT_HELP, FACILITATOR_HELP, HELP } from './help.ts'
import { readAgentWords, readFacilitatorWords, type Words } from './read-words.ts'
import { refuseKeys } from './refuse-keys.ts'
import { runAgent } from './run-agent.ts'
import { runFacilitator } from './run-facilitator.ts'

/**
 * `farebox-conformance`. With `--json` the output holds one document, whatever happens. Resolves to the exit code;
 * rejects only for a fault of the kit itself.
 *
 * @param words behind the name of the program
 */
export async function runCommand(words: readonly string[], world: CommandWorld): Promise<ExitCode> {
  const [subject, ...rest] = words
  const asJson = rest.includes('--json')
  try {
    refuseKeys(words)
  } catch (error) {
    return tell(world, error, asJson)
  }
  const command = COMMANDS.find(({ name }) => name === subject)
  if (command === undefined) {
    const isHelp = subject === '--help' || subject === '-h' || subject === 'help'
    if (isHelp) world.out(HELP)
    else world.err(subject === undefined ? HELP : `✗ there is no command "${printable(subject)}"\n\n${HELP}`)
    return isHelp ? EXIT.conforms : EXIT.notRun
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    world.out(command.help)
    return EXIT.conforms
  }
  try {
    return await command.run(world, rest)
  } catch (error) {
    if (world.signal.aborted) return EXIT.interrupted
    return tell(world, error, asJson)
  }
}

interface Command {
  readonly name: string
  readonly help: string
  readonly run: (world: CommandWorld, words: Words) => Promise<ExitCode>
}

const COMMANDS: readonly Command[] = [
  {
    name: 'agent',
    help: AGENT_HELP,
    run: async (world, words) => await runAgent(world, readAgentWords(words)),
  },
  {
    name: 'facilitator',
    help: FACILITATOR_HELP,
    run: async (world, words) => await runFacilitator(world, readFacilitatorWords(words)),
  },
]

/** Says why nothing was found out. What of it a stranger wrote must not move the reader's cursor. */
function tell(world: CommandWorld, error: unknown, asJson: boolean): ExitCode {
  if (!(error instanceof CannotRun)) throw error
  const { message, next } = error
  const lines = [`✗ ${printable(message)}`, ...(next === '' ? [] : [`  ${printable(next)}`])]
  world.err(`${lines.join('\n')}\n`)
  if (asJson) world.out(`${printableJson({ ok: false, error: { message, ...(next !== '' && { next }) } })}\n`)
  return EXIT.notRun
}
