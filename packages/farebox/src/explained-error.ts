/**
 * An error that stops a command and can be explained in two lines: the problem (the message), and how to fix it (the
 * hint).
 */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError'
  /** Empty when there is no fix. */
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.hint = hint
  }
}
