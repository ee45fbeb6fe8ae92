import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** An order as it is kept in the browser from before it is first sent: the same bytes go out again, never others. */
export interface Order {
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
  /** How the wallet is called: `Test wallet`. */
  readonly wallet: string
  /** Unix seconds: no authorization is good after it. */
  readonly usable_until: number
  /** Unix seconds. */
  readonly created_at: number
  /** Opens the job; from the first answer. */
  readonly job_token?: string
  /** The job as it was last seen. */
  readonly job?: JobAnswer
  /** The platform refused the order itself, so that there is no job. */
  readonly refusal?: { readonly type: string; readonly sentence: string }
}

/** Whether there is nothing more to learn of it. */
export function isSettled({ job, refusal }: Order, now: number): boolean {
  if (refusal !== undefined) return true
  if (job === undefined) return false
  if (job.status === 'completed') return true
  return (
    (job.status === 'failed' || job.status === 'expired') &&
    (job.payment.status !== 'open' || now > job.payment.usable_until + 30)
  )
}
