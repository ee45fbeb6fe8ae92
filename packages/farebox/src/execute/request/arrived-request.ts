/** A `POST /execute` as received, with its size already checked: the complete input of the pipeline. */
export interface ArrivedRequest {
  readonly contentType: string | undefined
  readonly body: Buffer
  /** All values of `PAYMENT-SIGNATURE` and of its alias `X-PAYMENT` (D4). */
  readonly paymentHeaders: readonly string[]
  /**
   * The URL that the request was sent to: a bound nonce names it when the agent's public URL is not configured (D13).
   */
  readonly calledUrl: string
  /** Absent: the request has no headers about its origin. */
  readonly origin?: OriginHeaders
}

/** Headers about the origin of a job, unchecked. */
export interface OriginHeaders {
  /** `HIRE-PATH` */
  readonly hirePath: string | undefined
  /** `traceparent`; several are joined by commas. */
  readonly traceparent: string | undefined
}
