import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Flow } from '../document/flow.ts'

export { jobKey, readJobKey } from '../document/job-key.ts'

/**
 * One run of a flow: its complete state, as plain JSON.
 *
 * @example
 * ```ts
 * import type { Run } from '@farebox/flows/run/run-state'
 *
 * export function failures({ steps }: Run): readonly string[] {
 *   return Object.entries(steps).flatMap(([id, step]) => (step.state === 'failed' ? [`${id}: ${step.reason}`] : []))
 * }
 * ```
 */
export interface Run {
  /** The flow as it was started: its pinned prices are the agreed ones. */
  readonly flow: Flow
  /** Checked against the flow's inputs. */
  readonly input: JsonObject
  /** The limit for all its payments together in decimal USDC; the payer can raise it. */
  readonly max_total: string
  /** `paused`: no new jobs are ordered; `cancelled`: no jobs are ordered any more. */
  readonly control: 'running' | 'paused' | 'cancelled'
  /** By step id; absent: the step waits for its inputs. */
  readonly steps: { readonly [id: string]: StepState }
  /**
   * By key of the job: `summary`, or `summary#2` for the third item of a list. The latest is last; earlier ones are
   * concluded: paid without a delivery, dead, or wiped.
   */
  readonly payments: { readonly [key: string]: readonly Payment[] }
}

/** The state of a step. */
export type StepState =
  /** A required value will never be available. */
  | { readonly state: 'skipped' }
  /** The step waits for a person's answer. */
  | { readonly state: 'asking' }
  /** Unix seconds. */
  | { readonly state: 'sleeping'; readonly until: number }
  /** Its jobs: one, or one for each item of a list. */
  | { readonly state: 'ordering'; readonly jobs: readonly JobState[] }
  /** An adapter could not process its input, or an input was refused before it was sent. */
  | { readonly state: 'failed'; readonly reason: string }
  | {
      readonly state: 'done'
      /** Values by port; absent outputs are missing. */
      readonly outputs: JsonObject
      /** The ports of the way that was not taken. */
      readonly closed: readonly string[]
    }

/** The state of a step's job. */
export type JobState =
  /** The job waits for a payment. */
  | { readonly state: 'unpaid'; readonly input: JsonObject; readonly because: UnpaidReason }
  /** The payment is available, and the agent is asked whether its price is still the same. Nothing was sent. */
  | { readonly state: 'quoting'; readonly input: JsonObject }
  /** The order was sent with its payment, or may have been. */
  | { readonly state: 'sent'; readonly input: JsonObject; readonly attempt: number }
  | { readonly state: 'done'; readonly output: JsonObject }
  /**
   * The agent refused or did not respond; attempt 0: nothing was sent. The payment's state tells whether it may be charged.
   */
  | {
      readonly state: 'failed'
      readonly input: JsonObject
      readonly attempt: number
      readonly error_type: string
      readonly error: string
    }

/** Why a payment is requested. */
export type UnpaidReason =
  | { readonly kind: 'none' }
  /** The agent's terms differ from the signed ones. */
  | { readonly kind: 'changed'; readonly price: string; readonly pay_to: string }
  /** The payment would expire before the agent could finish. */
  | { readonly kind: 'too-late' }
  /** The earlier payment can never be charged any more. */
  | { readonly kind: 'dead' }
  /** The earlier payment was charged without a delivery: another payment is the second one for this step. */
  | { readonly kind: 'charged' }

/** An authorization for one job. The signature itself is stored elsewhere, encrypted. */
export interface Payment {
  /** The job that it is bound to; its order is always sent with this id. */
  readonly job_id: string
  /** Decimal USDC. */
  readonly amount: string
  /** Lower-case address. */
  readonly pay_to: string
  /** Unix seconds after which the chain refuses it. */
  readonly valid_before: number
  /**
   * - `ready`: kept, never sent
   * - `sent`: it may be charged until the chain shows that it cannot
   * - `paid`: the chain shows the charge
   * - `dead`: the chain shows that it was never charged and never will be
   * - `wiped`: deleted before it was sent
   */
  readonly state: 'ready' | 'sent' | 'paid' | 'dead' | 'wiped'
}
