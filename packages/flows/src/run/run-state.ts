import type { JsonObject } from '@farebox/protocol/fields/field'
import type { Flow } from '../document/flow.ts'

export { jobKey, readJobKey } from '../document/job-key.ts'

/**
 * One run of a flow: all that is known of it, as plain JSON.
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
  /** As it was started: its pinned prices are what was agreed to. */
  readonly flow: Flow
  /** Checked against the flow's inputs. */
  readonly input: JsonObject
  /** Decimal USDC that all its payments together may come to; the payer can raise it. */
  readonly max_total: string
  /** `paused`: nothing new is ordered; `cancelled`: nothing will be any more. */
  readonly control: 'running' | 'paused' | 'cancelled'
  /** By id of the step; none: it waits for what is wired into it. */
  readonly steps: { readonly [id: string]: StepState }
  /**
   * By key of the job: `summary`, or `summary#2` for the third item of a list. The newest is last; those before it are
   * over: paid without a delivery, dead, or wiped.
   */
  readonly payments: { readonly [key: string]: readonly Payment[] }
}

/** How a step is. */
export type StepState =
  /** A value that it needs will not come. */
  | { readonly state: 'skipped' }
  /** A person is asked. */
  | { readonly state: 'asking' }
  /** Unix seconds. */
  | { readonly state: 'sleeping'; readonly until: number }
  /** Its jobs: one, or one for each item of a list. */
  | { readonly state: 'ordering'; readonly jobs: readonly JobState[] }
  /** An adapter could not make anything of what came, or an input was refused before anything was sent. */
  | { readonly state: 'failed'; readonly reason: string }
  | {
      readonly state: 'done'
      /** Values by port; one that was left out has none. */
      readonly outputs: JsonObject
      /** The way that was not taken. */
      readonly closed: readonly string[]
    }

/** How one job of a step is. */
export type JobState =
  /** It waits for a payment. */
  | { readonly state: 'unpaid'; readonly input: JsonObject; readonly because: UnpaidReason }
  /** Its payment is there, and the agent is asked whether its price is still that. Nothing has been sent. */
  | { readonly state: 'quoting'; readonly input: JsonObject }
  /** The order with its payment has left, or may have. */
  | { readonly state: 'sent'; readonly input: JsonObject; readonly attempt: number }
  | { readonly state: 'done'; readonly output: JsonObject }
  /** The agent's refusal, or its silence; attempt 0: nothing was sent. Its payment says whether it may be charged. */
  | {
      readonly state: 'failed'
      readonly input: JsonObject
      readonly attempt: number
      readonly error_type: string
      readonly error: string
    }

/** Why a payment is asked for. */
export type UnpaidReason =
  | { readonly kind: 'none' }
  /** The agent asks for something else than was signed. */
  | { readonly kind: 'changed'; readonly price: string; readonly pay_to: string }
  /** It would end before the agent could be done. */
  | { readonly kind: 'too-late' }
  /** The one before can never be charged any more. */
  | { readonly kind: 'dead' }
  /** The one before was charged, and nothing was delivered: another payment is the second for this step. */
  | { readonly kind: 'charged' }

/** An authorization for one job. The signature itself is kept elsewhere, encrypted. */
export interface Payment {
  /** The job that it is bound to; its order always goes out with this id. */
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
