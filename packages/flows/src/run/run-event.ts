import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Payment } from './run-state.ts'

/**
 * An event of a run, from outside.
 *
 * @example
 * ```ts
 * import type { RunEvent } from '@farebox/flows/run/run-event'
 *
 * export const pause: RunEvent = { event: 'paused' }
 * ```
 */
export type RunEvent =
  /** A payment is brought, before it is asked for or after. */
  | { readonly event: 'paid-in'; readonly key: string; readonly payment: Omit<Payment, 'state'> }
  /** The price that the agent asks for now; undefined: it could not be asked. */
  | {
      readonly event: 'quoted'
      readonly key: string
      readonly quote: { readonly price: string; readonly pay_to: string } | undefined
      /** Why it could not be asked, for the payer. */
      readonly reason?: string
    }
  /** The job has its output, and its charge is on the chain. */
  | {
      readonly event: 'completed'
      readonly key: string
      readonly job_id: string
      readonly output: JsonObject
    }
  /** The job has failed, or its time is over. The state of its payment changes only with the chain's proof. */
  | {
      readonly event: 'failed'
      readonly key: string
      readonly job_id: string
      /** News of an earlier attempt say nothing of this one. */
      readonly attempt: number
      readonly error_type: string
      readonly error: string
    }
  /** The order was refused before it left, and never will: nothing was sent by this attempt. */
  | {
      readonly event: 'unsent'
      readonly key: string
      readonly job_id: string
      readonly attempt: number
      readonly error: string
    }
  /** The chain shows a charge, of a job that has delivered nothing usable. */
  | { readonly event: 'charged'; readonly key: string; readonly job_id: string }
  /** The chain shows that the payment can never be charged. */
  | { readonly event: 'dead'; readonly key: string; readonly job_id: string }
  /** A failed job is asked for again. */
  | { readonly event: 'retried'; readonly key: string }
  /** A person has answered an approval. */
  | { readonly event: 'answered'; readonly step: string; readonly approved: boolean }
  /** The payer agrees to more: a price rose, or a step is paid once more. Decimal USDC. */
  | { readonly event: 'raised'; readonly max_total: string }
  | { readonly event: 'paused' | 'resumed' | 'cancelled' }
  /** Time has passed. */
  | { readonly event: 'woken' }

/** An action that a run wants. Each is safe to do twice. */
export type RunEffect =
  /** Ask the agent, unpaid, what it asks for now. */
  | { readonly effect: 'quote'; readonly key: string }
  /** Order the job with its payment. A later attempt is the same job with the same payment. */
  | {
      readonly effect: 'send'
      readonly key: string
      readonly job_id: string
      readonly attempt: number
      readonly input: JsonObject
    }
  /** Delete a signature that was never sent, or can never be used again. */
  | { readonly effect: 'wipe'; readonly job_id: string }
  /** Bring {@link RunEvent} `woken` then; unix seconds. */
  | { readonly effect: 'wake'; readonly at: number }
