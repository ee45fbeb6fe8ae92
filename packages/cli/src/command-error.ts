/** The meaning of the exit codes of every command. */
export const EXIT = {
  done: 0,
  /** A negative result: problems were found, the job failed and was not charged, something does not exist. */
  refused: 1,
  /** The command was not understood. */
  usage: 2,
  /**
   * Started but not finished: a payment was sent without a response (`farebox call --resume` repeats the request), or an
   * awaited event did not happen in time. Running the same command again continues.
   */
  unresolved: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Thrown by a command that cannot do what it was asked to, with the reason and what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** What to do, in one or several lines; empty when nothing can be done. */
  readonly next: string
  readonly exitCode: ExitCode

  constructor(message: string, next: string, options: ErrorOptions & { readonly exitCode?: ExitCode } = {}) {
    super(message, options)
    this.next = next
    this.exitCode = options.exitCode ?? EXIT.refused
  }
}

/** Creates the error for a command that was not understood. */
export function usageError(message: string, next: string, cause?: unknown): CommandError {
  return new CommandError(message, next, { cause, exitCode: EXIT.usage })
}

/** The system's code of an error, `ENOENT`; of an error without a code, its message. */
export function systemErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
