/**
 * There was no complete response from the agent: connection refused, reset, timed out. Thrown while nothing has been paid;
 * after a payment the same failure leads to a retry, and finally to `PaymentUnresolved`.
 *
 * @example
 * ```ts
 * import { AgentUnreachable, UnusableAnswer } from '@farebox/client/exchange/agent-errors'
 * import { quote } from '@farebox/client/quote'
 *
 * try {
 *   await quote('https://agent.example', 'count')
 * } catch (error) {
 *   if (error instanceof AgentUnreachable) console.log('it does not answer')
 *   else if (error instanceof UnusableAnswer) console.log(`no agent: HTTP ${error.httpStatus}`)
 *   else throw error
 * }
 * ```
 */
export class AgentUnreachable extends Error {
  override readonly name = 'AgentUnreachable'
}

/**
 * The agent's response does not follow the interface: HTML, a redirect, too many bytes, an invalid declaration. Thrown while
 * nothing has been paid.
 */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer'
  /** HTTP status of the response. */
  readonly httpStatus: number

  constructor(httpStatus: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.httpStatus = httpStatus
  }
}
