import { printable } from '@farebox/conformance/internal/printable'
import { Command, CommanderError } from 'commander'
import { COMMANDS } from './commands.ts'
import { refuseKeyArguments } from './keys/refuse-key-arguments.ts'
import { CommandError, EXIT } from './command-error.ts'
import { asTyped, COMMAND_NAMES, paintFor } from './terminal/text.ts'
import { terminalWorld } from './process-world.ts'
import type { World } from './world.ts'

/**
 * Runs `farebox <args>` and resolves to its exit code (see `EXIT`). What goes wrong is said on the error screen:
 * what, then what to do. Stacks only for what nobody foresaw.
 *
 * @param world default: this process
 * @example
 * ```ts
 * import { runCli } from '@farebox/cli/run-cli'
 *
 * process.exitCode = await runCli(['validate', '--config', 'agent.json'])
 * ```
 */
export async function runCli(args: readonly string[], world?: World): Promise<number> {
  const interrupted = new AbortController()
  const given = world ?? terminalWorld(interrupted.signal)
  if (world === undefined) abortOnSignals(interrupted)
  let exitCode: number = EXIT.done
  const program = createProgram(given, code => {
    exitCode = code
  })
  try {
    refuseKeyArguments(args)
    await program.parseAsync(meantArguments(program, args), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    return explain(error, given)
  }
}

/** Help on a command that there is not is the command that there is not, and its nearest one. */
function meantArguments(program: Command, args: readonly string[]): string[] {
  if (args.length === 0) return ['--help']
  const [first, name] = args
  const isKnown = (wanted: string): boolean => program.commands.some(command => command.name() === wanted)
  if (first !== 'help' || name === undefined || name.startsWith('-') || isKnown(name)) return [...args]
  return [name]
}

function createProgram(world: World, end: (exitCode: number) => void): Command {
  const program = new Command('farebox')
    .description('Agents that are paid per job: declare one, serve it, check it, call it.')
    .usage('<command> [options]')
    // Options behind a command are its own, and those behind a subcommand are the subcommand's.
    .enablePositionalOptions()
    .helpCommand('help [command]', 'the same as farebox <command> --help')
    .configureHelp({
      subcommandTerm: command => command.name(),
      visibleCommands: ({ commands }) => [...commands],
    })
    .addHelpText('after', AFTER_ALL)
  for (const name of COMMAND_NAMES) program.addCommand(COMMANDS[name](new Command(name), world, end))
  for (const command of [program, ...program.commands]) plain(command, world)
  return program
}

const AFTER_ALL = `
farebox <command> --help tells more, with examples.

Exit codes
  0  done                       2  the command was not understood
  1  no: problems, a failure    3  not known yet, or not done in time: run it again
`

/** A line of a help that is there to be copied. */
const EXAMPLE = /^ {2}farebox .*$/gm

/** Everything a command says goes through the world, and no command ends the process by itself. */
function plain(command: Command, world: World): void {
  const { out, err } = world
  command
    .exitOverride()
    .helpOption('-h, --help', 'this help')
    .showHelpAfterError(false)
    .configureOutput({
      writeOut: text => out.write(text.replaceAll(EXAMPLE, line => asTyped(world, line))),
      writeErr: text => err.write(text),
      outputError: (text, write) => {
        const sentence = text
          .trim()
          .replace(/^error: /, '')
          .replace(/\s*\n\(Did you mean (.*)\?\)$/, ', did you mean $1?')
        write(
          `${paintFor(err).red('✗')} ${sentence}\n  ${asTyped(world, `${wholeName(command)} --help`)} lists the options\n`,
        )
      },
      getOutHasColors: () => out.live,
      getErrHasColors: () => err.live,
      getOutHelpWidth: () => out.columns,
      getErrHelpWidth: () => err.columns,
    })
  for (const inner of command.commands) plain(inner, world)
}

/** `farebox wallet new`: the command with those it belongs to. */
function wholeName(command: Command): string {
  return command.parent === null ? command.name() : `${wholeName(command.parent)} ${command.name()}`
}

/** What is done sooner need not know who started it. */
const LONG_COMMAND_MS = 1_000

async function launcherGone(): Promise<void> {
  const commandLine = await import('farebox/internal/command-line')
  await commandLine.launcherGone(process.env)
}

function explain(error: unknown, world: World): number {
  const { err, signal } = world
  if (signal.aborted && !(error instanceof CommandError)) return EXIT.interrupted
  const cross = paintFor(err).red('✗')
  if (error instanceof CommandError) {
    err.write(
      `${cross} ${error.message}\n${error.next === '' ? '' : `${asTyped(world, error.next).replace(/^/gm, '  ')}\n`}`,
    )
    return error.exitCode
  }
  const lines = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n')
  err.write(`${cross} ${lines.map(printable).join('\n')}\n`)
  return EXIT.refused
}

/**
 * The first signal asks to stop, and so does a terminal that is closed; a second one, of any, ends the process at
 * once, as people expect.
 */
function abortOnSignals(interrupted: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(EXIT.interrupted)
      interrupted.abort()
    })
  }
  setTimeout(() => void launcherGone().then(() => interrupted.abort()), LONG_COMMAND_MS).unref()
  // The reader of our output is gone; what was begun is still ended in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => interrupted.abort())
}
