import { printableJson } from '../printable.ts'
import { CannotRun, EXIT, type CommandWorld, type ExitCode } from './command-world.ts'
import { AGENT_HELP, FACILITATOR_HELP, HELP } from './help.ts'
import { readAgentWords, readFacilitatorWords, type Words } from './read-words.ts'
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
  const command = COMMANDS.find(({ name }) => name === subject)
  if (command === undefined) {
    const isHelp = subject === '--help' || subject === '-h' || subject === 'help'
    if (isHelp) world.out(HELP)
    else world.err(subject === undefined ? HELP : `✗ there is no command "${subject}"\n\n${HELP}`)
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
    if (!(error instanceof CannotRun)) throw error
    tell(world, error, rest.includes('--json'))
    return EXIT.notRun
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

function tell(world: CommandWorld, { message, next }: CannotRun, asJson: boolean): void {
  const lines = [`✗ ${message}`, ...(next === '' ? [] : [`  ${next}`])]
  world.err(`${lines.join('\n')}\n`)
  if (asJson) {
    const error = { message, ...(next !== '' && { next }) }
    world.out(`${printableJson({ ok: false, error })}\n`)
  }
}
