import type { JobState, Payment, Run } from '@farebox/flows/run/run-state'
import type { RunStatus } from '@farebox/flows/run/run-status'
import type { RunEvent } from '@farebox/flows/run/run-event'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A run as it is stored: its large constant parts and its changing state, each as JSON. */
export interface StoredRun {
  /** The document of the flow. */
  readonly flow: string
  readonly input: string
  /** Decimal USDC. */
  readonly maxTotal: string
  /** The changing part of a `Run`: control, steps, payments. */
  readonly state: string
}

/**
 * An event of a run. A delivery contains the unparsed body of the agent's answer; it is parsed in the thread, because it
 * may have megabytes.
 */
export type GivenEvent =
  | Exclude<RunEvent, { readonly event: 'completed' }>
  | {
      readonly event: 'delivered'
      readonly key: string
      readonly job_id: string
      /** The attempt that the run is at. */
      readonly attempt: number
      /** The body of the agent's answer. */
      readonly body: string
    }

/** A job of a run whose payment can be charged. */
export interface SentJob {
  readonly key: string
  readonly jobId: string
  readonly agentId: number
  readonly capability: string
  readonly attempt: number
  /** Unix seconds. */
  readonly validBefore: number
  readonly state: Extract<JobState, { readonly state: 'sent' | 'failed' }>['state']
}

/** A job for which the agent must be asked for its price. */
export interface QuotedJob {
  readonly key: string
  readonly agentId: number
  readonly capability: string
}

/** A job that will be sent next: its payment exists, and it waits only for jobs in progress. */
export interface ComingJob extends QuotedJob {
  /** Keys of the jobs it waits for. */
  readonly after: readonly string[]
}

/** What the runner and the lists need to know of a run's state. */
export interface RunPlan {
  readonly status: RunStatus['status']
  readonly control: Run['control']
  /** The run has ended and has no sent job: no event can change it, and no work is left. */
  readonly isOver: boolean
  readonly quotes: readonly QuotedJob[]
  readonly coming: readonly ComingJob[]
  readonly sent: readonly SentJob[]
  /** Ids of the jobs whose signed payments are still needed. */
  readonly kept: readonly string[]
  /** Unix seconds at which the run must be advanced; null when it waits for no time. */
  readonly wakeAt: number | null
  /** Decimal USDC. */
  readonly paid: string
}

/** A run to be stored. */
export interface WrittenRun {
  readonly state: string
  /** Decimal USDC. */
  readonly maxTotal: string
  readonly plan: RunPlan
  /** The inputs of jobs that are newly to be sent, as JSON. */
  readonly inputs: readonly { readonly jobId: string; readonly input: string }[]
}

/** A payment for a job of a run, without its signature. */
export interface BroughtPayment {
  readonly key: string
  readonly payment: Omit<Payment, 'state'>
}

/** The values a run is started with. */
export interface RunStart {
  readonly flow: string
  readonly input: JsonObject
  readonly maxTotal: string
  readonly payments: readonly BroughtPayment[]
  /** Unix seconds. */
  readonly now: number
}

/** A started run, or the reason why it cannot start; in that case nothing is stored. */
export type RunBegun =
  | ({ readonly ok: true; readonly input: string } & WrittenRun)
  | { readonly ok: false; readonly reason: string }

/** A run after its events. */
export type RunAdvanced =
  | ({ readonly ok: true } & WrittenRun)
  /** The reason for the first refused event; the other events are not applied either. */
  | { readonly ok: false; readonly reason: string }
