/** The five things that may be said of a call that brought no answer (SSRF-08). */
export type FailureReason = 'refused-address' | 'unreachable' | 'too-slow' | 'too-large' | 'not-acceptable'

/** A call that ends without an answer: one of five reasons for everybody, the detail for our log. */
export class OutboundFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'OutboundFailure'
    this.reason = reason
  }
}
