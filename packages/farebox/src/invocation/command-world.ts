import type { Variables } from '../environment/read-environment.ts'

/** The environment of a runtime command; the `World` of `@farebox/cli` is compatible with it. */
export interface CommandWorld {
  /** The folder in which the command was called. */
  readonly folder: string
  readonly variables: Variables
  /** The stream for results. */
  readonly out: CommandScreen
  /** The stream for errors and notices. */
  readonly err: CommandScreen
}

/** One of the two streams. */
export interface CommandScreen {
  write(text: string): void
  /** Whether the stream supports colours. */
  readonly live: boolean
}

/** The {@link CommandWorld} of this process. */
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
