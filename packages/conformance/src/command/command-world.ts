/** The resources that a command may use. */
export interface ConformanceWorld {
  readonly variables: { readonly [name: string]: string | undefined }
  /** The folder that paths are relative to. */
  readonly folder: string
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** The number of characters in a line of the output. */
  readonly columns: number
  readonly hasColours: boolean
  /** Aborts when the command is cancelled. */
  readonly signal: AbortSignal
}

/** The meaning of the exit codes. */
export const CONFORMANCE_EXIT = {
  conforms: 0,
  /** A rule is broken. */
  breaks: 1,
  /** No result: the command was not understood, no server responds, or the server is something else. */
  notRun: 2,
  interrupted: 130,
} as const

/** One of {@link CONFORMANCE_EXIT}. */
export type ConformanceExit = (typeof CONFORMANCE_EXIT)[keyof typeof CONFORMANCE_EXIT]

/** Thrown when a run cannot begin, with the reason and what to do about it. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
  /** What to do, in one line; empty when nothing can be done. */
  readonly next: string

  constructor(message: string, next = '', options: ErrorOptions = {}) {
    super(message, options)
    this.next = next
  }
}
