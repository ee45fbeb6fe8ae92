import type { Flow } from '@farebox/flows/document/flow'
import type { RunPayment, RunProgress } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A run as this browser keeps it from before it is first sent: a repeat sends the same request. */
export interface KeptRun {
  /** UUID v4; the key. */
  readonly run_id: string
  readonly flow: Flow
  /** The saved flow that it is a run of. */
  readonly flow_id?: string
  /** The draft of this browser that it is a run of. */
  readonly draft_id?: string
  readonly input: JsonObject
  /** Decimal USDC. */
  readonly max_total: string
  /** Payments that were signed, with the start of the run or later, and that the platform may not have. */
  readonly unsent: readonly RunPayment[]
  /** Whether the platform has the run. */
  readonly is_started: boolean
  readonly payer: string
  /** The name of the wallet: `Test wallet`. */
  readonly wallet: string
  /** Unix seconds. */
  readonly created_at: number
  /** Opens the run; made here, so that a lost answer loses nothing. Absent: the session of its payer opens it. */
  readonly run_token?: string
  /** The run as the platform last reported it. */
  readonly seen?: SeenRun
  /** The platform refused it, so that there is no run. */
  readonly refusal?: { readonly type: string; readonly sentence: string }
}

/** The parts of a run that a list shows. */
export interface SeenRun {
  readonly status: RunProgress['status']
  /** The action of its payer that it waits for: another try, a payment or an answer. */
  readonly needs: 'retry' | 'payment' | 'person' | null
  readonly paid: string
  readonly exposed: string
  /** Paid steps that are delivered. */
  readonly done: number
  /** Paid steps that were not skipped. */
  readonly steps: number
  /** Unix seconds. */
  readonly changed_at: number
  readonly ended_at: number | null
}
