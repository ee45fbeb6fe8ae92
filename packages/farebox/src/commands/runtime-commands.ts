import { writeHelp } from './command-help.ts'
import { START_OPTIONS, VALIDATE_OPTIONS } from '../invocation/command-options.ts'
import type { CommandWorld } from '../invocation/command-world.ts'

/** A command that the runtime implements itself. */
export interface RuntimeCommand {
  readonly name: 'start' | 'validate'
  /** One line. */
  readonly description: string
  /** The complete text of its `--help`. */
  readonly help: string
  /**
   * Runs the command and resolves to its exit code; errors are shown on the error screen. Handlers may leave pools and
   * timers open, so a process that should end with the command must be ended explicitly.
   *
   * @param args the arguments after the command
   * @param world default: this process
   */
  run(args: readonly string[], world?: CommandWorld): Promise<number>
}

const USAGE_CODE = [2, 'the command was not understood'] as const

const START = 'Serve agent.json with its handlers, as the environment says.'
const VALIDATE = 'Check agent.json, and tell every problem with its place.'

/** The commands of the runtime, in the order of the help. Each is loaded when it is run. */
export const RUNTIME_COMMANDS: readonly RuntimeCommand[] = [
  {
    name: 'start',
    description: START,
    help: writeHelp({
      command: 'farebox start',
      description: START,
      usage: '[options]',
      options: START_OPTIONS,
      environment: true,
      exitCodes: [
        [0, 'stopped by SIGTERM or Ctrl-C, the jobs in flight answered'],
        [1, 'could not start, or was stopped by an uncaught error'],
        USAGE_CODE,
      ],
      example: [
        'export AGENT_WALLET_ADDRESS=0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65 SERVICE_DEV_MODE=true',
        'farebox start --config agent.json --port 3000',
      ],
    }),
    async run(args, world) {
      const { startCommand } = await import('./start.ts')
      return await startCommand(args, world)
    },
  },
  {
    name: 'validate',
    description: VALIDATE,
    help: writeHelp({
      command: 'farebox validate',
      description: VALIDATE,
      usage: '[file] [options]',
      options: VALIDATE_OPTIONS,
      environment: false,
      exitCodes: [[0, 'nothing is wrong with it'], [1, 'there are problems, or no file'], USAGE_CODE],
      example: ['farebox validate agent.json'],
    }),
    async run(args, world) {
      const { validateCommand } = await import('./validate.ts')
      return await validateCommand(args, world)
    },
  },
]
