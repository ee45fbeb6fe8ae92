/** The five reasons that may be shown for a call without a response (SSRF-08). */
export type FailureReason = 'refused-address' | 'unreachable' | 'too-slow' | 'too-large' | 'not-acceptable'

/** The error of a call without a response. Anyone may see the reason; the detail is for the platform's log only. */
export class OutboundFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'OutboundFailure'
    this.reason = reason
  }
}
