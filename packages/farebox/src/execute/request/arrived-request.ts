import type { CallOrigin } from '../../handler/job-hiring.ts'

/** A `POST /execute` as it arrived, its size already checked: everything the pipeline may look at. */
export interface ArrivedRequest {
  readonly contentType: string | undefined
  readonly body: Buffer
  /** Values of `PAYMENT-SIGNATURE` and of its alias `X-PAYMENT`, each as often as it was sent (D4). */
  readonly paymentHeaders: readonly string[]
  /** The URL this agent was called at: where its own public URL is not configured, what a bound nonce names (D13). */
  readonly calledUrl: string
  /** Absent: nothing is said of it. */
  readonly origin?: CallOrigin
}
