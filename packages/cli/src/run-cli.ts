import { printable } from '@farebox/conformance/internal/printable'
import { Command, CommanderError } from 'commander'
import { COMMANDS } from './commands.ts'
import { refuseKeyArguments } from './keys/refuse-key-arguments.ts'
import { CommandError, EXIT } from './command-error.ts'
import { asTyped, COMMAND_NAMES, paintFor } from './terminal/text.ts'
import { terminalWorld } from './process-world.ts'
import type { World } from './world.ts'

/**
 * Runs `farebox <args>` and resolves to its exit code (see `EXIT`). Errors are printed to stderr with the reason and what
 * to do. A stack trace is printed only for an unexpected error.
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

/** Help for an unknown command reports the unknown command and the most similar one. */
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
    // Options after a command belong to it, and those after a subcommand to the subcommand.
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

/** A line of a help text that is meant to be copied. */
const EXAMPLE = /^ {2}farebox .*$/gm

/** Makes a command use the world for all output, and never end the process by itself. */
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

/** The name of a command including its parents: `farebox wallet new`. */
function wholeName(command: Command): string {
  return command.parent === null ? command.name() : `${wholeName(command.parent)} ${command.name()}`
}

/** A shorter command ends by itself before anyone minds that its launcher is gone. */
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
 * The first signal, including the closing of the terminal, requests a stop; any second signal ends the process at once, as
 * people expect.
 */
function abortOnSignals(interrupted: AbortController): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(EXIT.interrupted)
      interrupted.abort()
    })
  }
  setTimeout(() => void launcherGone().then(() => interrupted.abort()), LONG_COMMAND_MS).unref()
  // The reader of our output is gone; running work is still ended in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => interrupted.abort())
}
