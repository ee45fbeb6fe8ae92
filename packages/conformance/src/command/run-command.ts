import { printable, printableJson } from '../printable.ts'
import { CannotRun, CONFORMANCE_EXIT, type ConformanceWorld, type ConformanceExit } from './command-world.ts'
import { AGENT_HELP, FACILITATOR_HELP, HELP } from './help.ts'
import { readAgentWords, readFacilitatorWords, type CommandWords } from './read-words.ts'
import { refuseKeys } from './refuse-keys.ts'
import { runAgent } from './run-agent.ts'
import { checkFacilitator } from './run-facilitator.ts'

/**
 * Runs `farebox-conformance`. With `--json` the output always is exactly one document. Resolves to the exit code; rejects
 * only for a bug of the kit itself.
 *
 * @param words the arguments after the name of the program
 */
export async function runCommand(
  words: readonly string[],
  world: ConformanceWorld,
): Promise<ConformanceExit> {
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
    return isHelp ? CONFORMANCE_EXIT.conforms : CONFORMANCE_EXIT.notRun
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    world.out(command.help)
    return CONFORMANCE_EXIT.conforms
  }
  try {
    return await command.run(world, rest)
  } catch (error) {
    if (world.signal.aborted) return CONFORMANCE_EXIT.interrupted
    return tell(world, error, asJson)
  }
}

interface Command {
  readonly name: string
  readonly help: string
  readonly run: (world: ConformanceWorld, words: CommandWords) => Promise<ConformanceExit>
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
    run: async (world, words) => await checkFacilitator(world, readFacilitatorWords(words)),
  },
]

/** Prints why there is no result. Text from the server must not move the reader's cursor. */
function tell(world: ConformanceWorld, error: unknown, asJson: boolean): ConformanceExit {
  if (!(error instanceof CannotRun)) throw error
  const { message, next } = error
  const lines = [`✗ ${printable(message)}`, ...(next === '' ? [] : [`  ${printable(next)}`])]
  world.err(`${lines.join('\n')}\n`)
  if (asJson) world.out(`${printableJson({ ok: false, error: { message, ...(next !== '' && { next }) } })}\n`)
  return CONFORMANCE_EXIT.notRun
}
