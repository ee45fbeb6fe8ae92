/**
 * No whole answer came from the agent: connection refused, reset, timed out. Thrown while nothing has been
 * paid; afterwards the same accident is a reason to ask again, and in the end `PaymentUnresolved`.
 */
export class AgentUnreachable extends Error {
  override readonly name = 'AgentUnreachable'
}

/**
 * The agent answered, but not as the interface says: HTML, a redirect, too many bytes, a declaration with
 * faults. Thrown while nothing has been paid.
 */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
  /** HTTP status of the answer. */
  readonly httpStatus: number

  constructor(httpStatus: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.httpStatus = httpStatus
  }
}
