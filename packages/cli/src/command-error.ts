/** What the exit codes of every command mean. */
export const EXIT = {
  done: 0,
  /** The answer is no: problems were found, the job failed and was not charged, something is not there. */
  refused: 1,
  /** The command was not understood. */
  usage: 2,
  /**
   * Begun and not ended: a payment was sent without an answer (`farebox call --resume` asks again), or what was waited
   * for did not come in time. The same command goes on.
   */
  unresolved: 3,
  /** Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Thrown by a command that cannot do what it was asked: what is wrong, then what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** A line, or several; empty where there is nothing to be done. */
  readonly next: string
  readonly exitCode: ExitCode

  constructor(message: string, next: string, options: ErrorOptions & { readonly exitCode?: ExitCode } = {}) {
    super(message, options)
    this.next = next
    this.exitCode = options.exitCode ?? EXIT.refused
  }
}

/** A command that was not understood. */
export function usageError(message: string, next: string, cause?: unknown): CommandError {
  return new CommandError(message, next, { cause, exitCode: EXIT.usage })
}

/** The system's code of an error, `ENOENT`; of an error without a code, its message. */
export function systemErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
