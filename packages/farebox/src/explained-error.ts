/** What stops a command and can be explained in two lines: what is wrong (the message), and what to do about it. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError'
  /** Empty where there is nothing to be done. */
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.hint = hint
  }
}
