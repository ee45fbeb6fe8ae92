import type { HoldRequest } from '@farebox/payments/x402/facilitator-api'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { Trace } from '@farebox/protocol/internal/trace/traceparent'

/**
 * The stored record of a job, in any store. The states follow the money:
 *
 * `running` → `saved` → `settled`, or `unpaid` when a settlement definitely failed. The record of a job that fails in
 * any other way is deleted: nothing was charged, so a retry may run (D24).
 */
export type Job = RunningJob | SavedJob | UnpaidJob | SettledJob

interface AnyJob {
  /** Version of the record's format, so that a later release can read the store of an earlier one (D25). */
  readonly version: 1
  /** Lower-case address of the payer; empty in dev mode, where jobs are free. */
  readonly payer: string
}

/** The handler is running, or its process died while it was running. */
export interface RunningJob extends AnyJob {
  readonly state: 'running'
  /** The deadline of the run, in Unix milliseconds. A request that joins the run may wait until then for the result. */
  readonly deadlineMs: number
  /** The caller was answered 408, but the handler has not returned yet. */
  readonly overran: boolean
}

/**
 * The response is saved and money may move: until the outcome of the settlement is known, the job must not be changed
 * otherwise.
 */
export interface SavedJob extends AnyJob {
  readonly state: 'saved'
  readonly jobId: string
  /** The exact body of the 200 response. */
  readonly response: string
  readonly payment: RecordedPayment
  /** Keys of payments whose settlement failed; they must not be submitted again. */
  readonly refusedPayments: readonly string[]
}

/**
 * The settlement definitely failed through the payer's fault; a new payment by the same payer buys the response (D22).
 */
export interface UnpaidJob extends AnyJob {
  readonly state: 'unpaid'
  readonly response: string
  /** Price of the response in atomic units, whatever capability it is requested under. */
  readonly amount: string
  readonly reason: string
  /** Value of the `PAYMENT-RESPONSE` header of the 402. */
  readonly paymentResponse: string
  readonly refusedPayments: readonly string[]
}

/** Paid and delivered: repeats get this response until the record expires (D24). */
export interface SettledJob extends AnyJob {
  readonly state: 'settled'
  /** Key of the payment; absent in dev mode, and in records of an earlier release. */
  readonly paymentKey?: string
  readonly response: string
  /** Value of the `PAYMENT-RESPONSE` header; empty in dev mode. */
  readonly paymentResponse: string
}

/** Everything that a later process needs to request the same settlement again (D8). */
export interface RecordedPayment {
  readonly key: string
  readonly authorization: Authorization
  readonly signature: string
  readonly requirement: PaymentRequirement
  readonly binding: HoldRequest['binding']
  /** The trace of the request that ran the job; absent in records of an earlier release. */
  readonly trace?: Trace
}
