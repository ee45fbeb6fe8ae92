import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** An order as this browser keeps it from before it is first sent, so that a repeat sends the same bytes. */
export interface SignedOrder {
  /** UUID v4; the key in the store. */
  readonly job_id: string
  readonly agent_id: number
  readonly agent_name: string
  readonly capability: string
  readonly input: JsonObject
  /** Unix seconds. */
  readonly deadline: number
  /** The value of PAYMENT-SIGNATURE. */
  readonly payment: string
  /** Decimal USDC. */
  readonly amount: string
  readonly pay_to: string
  readonly payer: string
  /** The name of the wallet: `Test wallet`. */
  readonly wallet: string
  /** Unix seconds after which the payment authorization is no longer valid. */
  readonly usable_until: number
  /** Unix seconds. */
  readonly created_at: number
  /** Opens the job; returned with the first answer. */
  readonly job_token?: string
  /** The state that the platform last reported. */
  readonly job?: JobAnswer
  /** Set when the platform rejected the order, so that there is no job. */
  readonly refusal?: { readonly type: string; readonly sentence: string }
}

/** The store of this browser's orders, which outlives its pages. */
export interface OrderJournal {
  /** Stores an order. Resolves once the order would survive a crash of the browser. */
  keep(order: SignedOrder): Promise<void>
  /** The order of a job; undefined when there is none. */
  read(jobId: string): Promise<SignedOrder | undefined>
  /** Updates the stored order of a job. Resolves to the updated order; undefined when there is none. */
  update(jobId: string, change: Partial<SignedOrder>): Promise<SignedOrder | undefined>
  /** Runs work on an order while no other tab does. Rejects when the signal aborts before the work begins. */
  lock<Result>(jobId: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

/** Whether the state of an order can no longer change. */
export function isOrderFinal({ job, refusal }: SignedOrder, now: number): boolean {
  if (refusal !== undefined) return true
  if (job === undefined) return false
  if (job.status === 'completed') return true
  return (
    (job.status === 'failed' || job.status === 'expired') &&
    (job.payment.status !== 'open' || now > job.payment.usable_until + 30)
  )
}
