import { showHelp, type DescribedProgram } from './show-help.ts'

/** The output of a program's command line. */
export interface ProgramScreen {
  out(text: string): void
  err(text: string): void
  /** Characters in a line. */
  readonly columns: number
}

/** The exit code for invalid arguments. */
export const USAGE_EXIT_CODE = 2

/**
 * Parses the arguments of a program: help, version, a command, or none, which runs the server.
 *
 * @param serve - runs the server and resolves to its exit code
 * @returns the exit code; {@link USAGE_EXIT_CODE} for invalid arguments
 */
export async function runProgram(
  program: DescribedProgram,
  args: readonly string[],
  serve: () => Promise<number>,
  screen: ProgramScreen = processScreen(),
): Promise<number> {
  const [first, ...rest] = args
  if (first === undefined) return await serve()
  if (first === '--help' || first === '-h' || first === 'help') {
    screen.out(showHelp(program, screen.columns))
    return 0
  }
  if (first === '--version' || first === '-V') {
    screen.out(`${program.version}\n`)
    return 0
  }
  const command = program.commands.find(({ name }) => name === first)
  if (command !== undefined) return await command.run(rest)
  const kind = first.startsWith('-') ? 'option' : 'command'
  screen.err(`✗ there is no ${kind} ${shownArgument(first)}\n  ${program.name} --help lists the options\n`)
  return USAGE_EXIT_CODE
}

const MAX_SHOWN_CHARACTERS = 40

/**
 * An argument in the form in which a message may show it: a long one may be a misplaced secret, and control characters would
 * move the cursor.
 */
export function shownArgument(word: string): string {
  const name = word.split('=')[0] ?? ''
  return name.length > MAX_SHOWN_CHARACTERS ? `of ${word.length} characters` : JSON.stringify(name)
}

/** This process's streams. */
export function processScreen(): ProgramScreen {
  return {
    out: text => void process.stdout.write(text),
    err: text => void process.stderr.write(text),
    columns: process.stdout.columns || 100,
  }
}
