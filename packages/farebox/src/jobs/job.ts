import type { HoldRequest } from '@farebox/payments/x402/facilitator-api'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'

/**
 * What is remembered of a job, in whatever store. The states follow the money:
 *
 * `running` → `saved` → `settled`, with `unpaid` where a settlement definitely failed. A job that fails in any
 * other way is forgotten: nothing was charged, so a retry may run (D24).
 */
export type Job = RunningJob | SavedJob | UnpaidJob | SettledJob

interface AnyJob {
  /** Of this record's own form, so that a later release can read an earlier one's store (D25). */
  readonly version: 1
  /** Lower-case address of who pays; empty in dev mode, where nobody does. */
  readonly payer: string
}

/** The handler is running, or its process died while it was. */
export interface RunningJob extends AnyJob {
  readonly state: 'running'
  /** Unix milliseconds: when the run must be over. Who joins it may wait so long to learn how it went. */
  readonly deadlineMs: number
  /** Its caller was answered 408, and the handler still has not returned. */
  readonly overran: boolean
}

/** The response is safe and money may move: until the settlement is known, nothing else may happen to this job. */
export interface SavedJob extends AnyJob {
  readonly state: 'saved'
  readonly jobId: string
  /** The exact body of the 200 to come. */
  readonly response: string
  readonly payment: RecordedPayment
  /** Keys of payments that failed before, never to be submitted again. */
  readonly refusedPayments: readonly string[]
}

/** The settlement definitely failed, by the payer's fault; a new payment by the same payer buys the response (D22). */
export interface UnpaidJob extends AnyJob {
  readonly state: 'unpaid'
  readonly response: string
  /** Atomic units: what the response costs, whatever capability it is asked for under. */
  readonly amount: string
  readonly reason: string
  /** Value of the `PAYMENT-RESPONSE` header that goes with the 402. */
  readonly paymentResponse: string
  readonly refusedPayments: readonly string[]
}

/** Paid and delivered: repeats get these bytes until the record is forgotten (D24). */
export interface SettledJob extends AnyJob {
  readonly state: 'settled'
  /** Key of the payment that paid; absent in dev mode, and in records of an earlier release. */
  readonly paymentKey?: string
  readonly response: string
  /** Value of the `PAYMENT-RESPONSE` header; empty in dev mode. */
  readonly paymentResponse: string
}

/** All that a later process needs to ask for the very same settlement again (D8). */
export interface RecordedPayment {
  readonly key: string
  readonly authorization: Authorization
  readonly signature: string
  readonly requirement: PaymentRequirement
  readonly binding: HoldRequest['binding']
}
