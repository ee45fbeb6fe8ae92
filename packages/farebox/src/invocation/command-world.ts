import type { Variables } from '../environment/read-environment.ts'

/** What a command of the runtime says and reads things through; the `World` of `@farebox/cli` is one. */
export interface CommandWorld {
  /** Where the command was called. */
  readonly folder: string
  readonly variables: Variables
  /** What was asked for. */
  readonly out: CommandScreen
  /** Refusals, and what is said beside the answer. */
  readonly err: CommandScreen
}

/** One of the two streams. */
export interface CommandScreen {
  write(text: string): void
  /** Whether it shows colours. */
  readonly live: boolean
}

/** This process. */
export function processWorld(): CommandWorld {
  return {
    folder: process.cwd(),
    variables: process.env,
    out: screenOf(process.stdout),
    err: screenOf(process.stderr),
  }
}

function screenOf(stream: NodeJS.WriteStream): CommandScreen {
  const { TERM, NO_COLOR, CI } = process.env
  return {
    write: text => void stream.write(text),
    live: stream.isTTY && TERM !== 'dumb' && !NO_COLOR && !CI,
  }
}
