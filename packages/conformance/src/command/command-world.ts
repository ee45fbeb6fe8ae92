/** What a command may touch. */
export interface ConformanceWorld {
  readonly variables: { readonly [name: string]: string | undefined }
  /** Paths are relative to it. */
  readonly folder: string
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Characters in a line of the output. */
  readonly columns: number
  readonly hasColours: boolean
  /** Aborts when nobody wants to know any more. */
  readonly signal: AbortSignal
}

/** What the exit codes mean. */
export const CONFORMANCE_EXIT = {
  conforms: 0,
  /** A rule is broken. */
  breaks: 1,
  /** It could not be found out: the command was not understood, nobody answers, or what answers is something else. */
  notRun: 2,
  interrupted: 130,
} as const

/** One of {@link CONFORMANCE_EXIT}. */
export type ConformanceExit = (typeof CONFORMANCE_EXIT)[keyof typeof CONFORMANCE_EXIT]

/** Thrown where a run cannot begin: what is missing, and what to do about it. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
  /** A line; empty where there is nothing to be done. */
  readonly next: string

  constructor(message: string, next = '', options: ErrorOptions = {}) {
    super(message, options)
    this.next = next
  }
}
