import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Payment } from './run-state.ts'

/**
 * An external event of a run.
 *
 * @example
 * ```ts
 * import type { RunEvent } from '@farebox/flows/run/run-event'
 *
 * export const pause: RunEvent = { event: 'paused' }
 * ```
 */
export type RunEvent =
  /** A payment arrives, before or after the run asks for it. */
  | { readonly event: 'paid-in'; readonly key: string; readonly payment: Omit<Payment, 'state'> }
  /** The agent's current price; undefined: the agent could not be asked. */
  | {
      readonly event: 'quoted'
      readonly key: string
      readonly quote: { readonly price: string; readonly pay_to: string } | undefined
      /** Why the agent could not be asked, for the payer. */
      readonly reason?: string
    }
  /** The job has its output, and its charge is on the chain. */
  | {
      readonly event: 'completed'
      readonly key: string
      readonly job_id: string
      readonly output: JsonObject
    }
  /** The job failed, or its time is over. The state of its payment changes only with the chain's proof. */
  | {
      readonly event: 'failed'
      readonly key: string
      readonly job_id: string
      /** Identifies the attempt: an event of an earlier attempt says nothing about the current one. */
      readonly attempt: number
      readonly error_type: string
      readonly error: string
    }
  /** The order was refused before it was sent, and never will be: this attempt sent nothing. */
  | {
      readonly event: 'unsent'
      readonly key: string
      readonly job_id: string
      readonly attempt: number
      readonly error: string
    }
  /** The chain shows the charge of a job without a usable result. */
  | { readonly event: 'charged'; readonly key: string; readonly job_id: string }
  /** The chain shows that the payment can never be charged. */
  | { readonly event: 'dead'; readonly key: string; readonly job_id: string }
  /** A failed job is requested again. */
  | { readonly event: 'retried'; readonly key: string }
  /** A person has answered an approval. */
  | { readonly event: 'answered'; readonly step: string; readonly approved: boolean }
  /** The payer agrees to a higher limit: a price rose, or a step is paid again. Decimal USDC. */
  | { readonly event: 'raised'; readonly max_total: string }
  | { readonly event: 'paused' | 'resumed' | 'cancelled' }
  /** Time has passed. */
  | { readonly event: 'woken' }

/** An action that a run requests. Each may be repeated safely. */
export type RunEffect =
  /** Ask the agent, without a payment, for its current price. */
  | { readonly effect: 'quote'; readonly key: string }
  /** Order the job with its payment. A later attempt uses the same job and the same payment. */
  | {
      readonly effect: 'send'
      readonly key: string
      readonly job_id: string
      readonly attempt: number
      readonly input: JsonObject
    }
  /** Delete a signature that was never sent, or can never be used again. */
  | { readonly effect: 'wipe'; readonly job_id: string }
  /** Send {@link RunEvent} `woken` at this time; unix seconds. */
  | { readonly effect: 'wake'; readonly at: number }
