import type { Flow } from '@farebox/flows/document/flow'
import type { RunPayment, RunProgress } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A run as this browser keeps it from before it is first sent, so that a repeat sends the same request. */
export interface KeptRun {
  /** UUID v4; the key in the store. */
  readonly run_id: string
  readonly flow: Flow
  /** The saved flow that was run. */
  readonly flow_id?: string
  /** The draft of this browser that was run. */
  readonly draft_id?: string
  readonly input: JsonObject
  /** Decimal USDC. */
  readonly max_total: string
  /** Payments signed at the start of the run or later, which the platform may not have received. */
  readonly unsent: readonly RunPayment[]
  /** Whether the platform has confirmed the run. */
  readonly is_started: boolean
  readonly payer: string
  /** The name of the wallet: `Test wallet`. */
  readonly wallet: string
  /** Unix seconds. */
  readonly created_at: number
  /**
   * Opens the run. It is generated here, so that a lost answer loses nothing. Absent when the session of its payer opens it.
   */
  readonly run_token?: string
  /** The state that the platform last reported. */
  readonly seen?: SeenRun
  /** Set when the platform refused the run, which then does not exist. */
  readonly refusal?: { readonly type: string; readonly sentence: string }
}

/** The parts of a run that a list shows. */
export interface SeenRun {
  readonly status: RunProgress['status']
  /** The action of its payer that the run waits for: a retry, a payment or an answer. */
  readonly needs: 'retry' | 'payment' | 'person' | null
  readonly paid: string
  readonly exposed: string
  /** The number of delivered paid steps. */
  readonly done: number
  /** The number of paid steps that were not skipped. */
  readonly steps: number
  /** Unix seconds. */
  readonly changed_at: number
  readonly ended_at: number | null
}
