import type { JobState, Payment, Run } from '@farebox/flows/run/run-state'
import type { RunStatus } from '@farebox/flows/run/run-status'
import type { RunEvent } from '@farebox/flows/run/run-event'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A run as it is stored: what is large and never changes, and what changes, each as JSON. */
export interface StoredRun {
  /** The document of its flow. */
  readonly flow: string
  readonly input: string
  /** Decimal USDC. */
  readonly maxTotal: string
  /** What of a `Run` changes: control, steps, payments. */
  readonly state: string
}

/**
 * What happens to a run. A delivery comes as the bytes that its agent answered with, which are read here: they may have
 * megabytes.
 */
export type GivenEvent =
  | Exclude<RunEvent, { readonly event: 'completed' }>
  | {
      readonly event: 'delivered'
      readonly key: string
      readonly job_id: string
      /** The one that the run is at. */
      readonly attempt: number
      /** The body of the agent's answer. */
      readonly body: string
    }

/** A job of a run whose payment may be charged. */
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

/** A job of which the agent is to be asked for its price. */
export interface QuotedJob {
  readonly key: string
  readonly agentId: number
  readonly capability: string
}

/** A job that comes next, as far as can be said: its payment is there, and nothing but jobs under way is waited for. */
export interface ComingJob extends QuotedJob {
  /** Keys of the jobs that it comes after. */
  readonly after: readonly string[]
}

/** What follows from the state of a run for those who drive it and list it. */
export interface RunPlan {
  readonly status: RunStatus['status']
  readonly control: Run['control']
  /** Nothing that happens outside can change it any more, and nothing is left to be done. */
  readonly isOver: boolean
  readonly quotes: readonly QuotedJob[]
  readonly coming: readonly ComingJob[]
  readonly sent: readonly SentJob[]
  /** Ids of the jobs whose signatures are still needed. */
  readonly kept: readonly string[]
  /** Unix seconds; null: it waits for no time. */
  readonly wakeAt: number | null
  /** Decimal USDC. */
  readonly paid: string
}

/** A run to be written down. */
export interface WrittenRun {
  readonly state: string
  /** Decimal USDC. */
  readonly maxTotal: string
  readonly plan: RunPlan
  /** Of each job that has just become to be sent: what is sent, as JSON. */
  readonly inputs: readonly { readonly jobId: string; readonly input: string }[]
}

/** A payment for a job of a run, without its signature. */
export interface BroughtPayment {
  readonly key: string
  readonly payment: Omit<Payment, 'state'>
}

/** What a run is started with. */
export interface RunStart {
  readonly flow: string
  readonly input: JsonObject
  readonly maxTotal: string
  readonly payments: readonly BroughtPayment[]
  /** Unix seconds. */
  readonly now: number
}

/** A run that has begun, or why it cannot: nothing comes of it then. */
export type RunBegun =
  | ({ readonly ok: true; readonly input: string } & WrittenRun)
  | { readonly ok: false; readonly reason: string }

/** A run after events. */
export type RunAdvanced =
  | ({ readonly ok: true } & WrittenRun)
  /** The first that cannot be; the others come to nothing as well. */
  | { readonly ok: false; readonly reason: string }
