import type { Flow } from '@farebox/flows/document/flow'
import type { RunPayment, RunProgress } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A run as it is kept in the browser from before it is first sent: the same request goes out until it is answered. */
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
  /** Signed, and not known to have arrived: with the start of the run, or later. Empty once the platform has them. */
  readonly unsent: readonly RunPayment[]
  /** Whether the platform has the run. */
  readonly is_started: boolean
  readonly payer: string
  /** How the wallet is called: `Test wallet`. */
  readonly wallet: string
  /** Unix seconds. */
  readonly created_at: number
  /** Opens the run; made here, so that a lost answer loses nothing. Absent: whoever is signed in as its payer. */
  readonly run_token?: string
  /** The run as it was last seen. */
  readonly seen?: SeenRun
  /** The platform refused it, so that there is no run. */
  readonly refusal?: { readonly type: string; readonly sentence: string }
}

/** What a list shows of a run. */
export interface SeenRun {
  readonly status: RunProgress['status']
  /** What it waits for, where that is its payer: another try, a payment or an answer. */
  readonly needs: 'retry' | 'payment' | 'person' | null
  readonly paid: string
  readonly exposed: string
  /** Paid steps that are delivered. */
  readonly done: number
  /** Paid steps that were not left out. */
  readonly steps: number
  /** Unix seconds. */
  readonly changed_at: number
  readonly ended_at: number | null
}
