import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** An order as this browser keeps it from before it is first sent: a repeat sends the same bytes. */
export interface SignedOrder {
  /** UUID v4; the key. */
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
  /** Unix seconds: the authorization is not valid after it. */
  readonly usable_until: number
  /** Unix seconds. */
  readonly created_at: number
  /** Opens the job; from the first answer. */
  readonly job_token?: string
  /** The job as the platform last reported it. */
  readonly job?: JobAnswer
  /** The platform rejected the order itself, so there is no job. */
  readonly refusal?: { readonly type: string; readonly sentence: string }
}

/** The orders of this browser, which outlive its pages. */
export interface OrderJournal {
  /** Writes an order. Resolves once it would survive a crash of the browser. */
  keep(order: SignedOrder): Promise<void>
  /** The order of a job; undefined: there is none. */
  read(jobId: string): Promise<SignedOrder | undefined>
  /** Changes what is known of an order. Resolves to the changed order; undefined: there is none of that job. */
  update(jobId: string, change: Partial<SignedOrder>): Promise<SignedOrder | undefined>
  /** Does some work on an order while no other tab does. Rejects where the signal aborts before the work begins. */
  lock<Result>(jobId: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>
}

/** Whether there is nothing more to learn about an order. */
export function isOrderFinal({ job, refusal }: SignedOrder, now: number): boolean {
  if (refusal !== undefined) return true
  if (job === undefined) return false
  if (job.status === 'completed') return true
  return (
    (job.status === 'failed' || job.status === 'expired') &&
    (job.payment.status !== 'open' || now > job.payment.usable_until + 30)
  )
}
