import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'

/** A capability of the served version of the agent. */
export interface DevCapability {
  readonly name: string
  readonly description: string
  /** Decimal USDC. */
  readonly price: string
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
  /** It has no handler yet: its answers are made up from the output schema. */
  readonly is_sample: boolean
}

/** The version of the agent that answers now. */
export interface DevAgent {
  readonly name: string
  readonly description: string
  readonly url: string
  readonly wallet: string
  /** Whether each job is paid, on a chain of this machine. */
  readonly is_paid: boolean
  readonly max_deadline_seconds: number
  readonly capabilities: readonly DevCapability[]
}

/** The state of the agent under edit, in the words of the terminal of `farebox dev`. */
export interface DevView {
  /** Counts the versions that were served, in this run of `farebox dev`. */
  readonly version: number
  /** The last good version; null until there is one. */
  readonly agent: DevAgent | null
  /** `loading`: a change is being loaded; `idle`: no version answers until the next save. */
  readonly phase: 'loading' | 'serving' | 'idle'
  /** The change that led to the version that is served; null for the first. */
  readonly change: { readonly words: string; readonly took_ms: number } | null
  /** The reason why the newest change is not served, or why the process ended; in the terminal's words. */
  readonly problem: { readonly text: string; readonly next: string } | null
  /** Type errors, which are served all the same; the first few, a text each. */
  readonly type_errors: readonly string[]
}

/** A line that the terminal shows, with nothing in it that moves a cursor. */
export interface DevLine {
  /** Counts up within a run of `farebox dev`. */
  readonly id: number
  readonly text: string
  readonly from: 'out' | 'err' | 'dev'
  /** The job that it names. */
  readonly job_id: string | null
  /** Unix milliseconds. */
  readonly at_ms: number
}

/** A job to be run. */
export interface DevJob {
  /** UUID v4, chosen by the page: it follows the job's steps by it. */
  readonly job_id: string
  readonly capability: string
  readonly input: JsonObject
}

/** A step of a job, with how long it took. */
export type DevStep =
  /** Asked without a payment: this is the price. */
  | { readonly kind: 'asked'; readonly ms: number; readonly amount: string | null }
  | { readonly kind: 'signed'; readonly ms: number; readonly payer: string }
  | { readonly kind: 'verified'; readonly ms: number; readonly amount: string }
  | { readonly kind: 'input-valid'; readonly ms: number }
  /** The handler came back, and its output was checked. */
  | { readonly kind: 'ran'; readonly ms: number }
  | { readonly kind: 'settled'; readonly ms: number; readonly transaction: string }
  /** The agent delivers, and says that it would not in production. */
  | { readonly kind: 'warned'; readonly reason: string }
  /** It failed, or its outcome is not known yet. */
  | { readonly kind: 'refused' | 'failed' | 'pending'; readonly reason: string }

/** The agent's answer, unchanged. */
export interface DevAnswer {
  readonly job_id: string
  /** HTTP status; null: no answer came, and `trouble` says why. */
  readonly status: number | null
  /** The body, word for word; empty where none came. */
  readonly body: string
  /** From the first byte sent to the last received, all exchanges together. */
  readonly ms: number
  readonly steps: readonly DevStep[]
  readonly trouble: string | null
  /** The transfer, once it is in a block; null: none is known. */
  readonly settled: Settled | null
}

/** A transfer that is in a block. Amounts are decimal USDC. */
export interface Settled {
  readonly amount: string
  readonly payer: string
  readonly pay_to: string
  /** Null: the agent's receipt does not name it. */
  readonly transaction: string | null
  readonly block_number: number | null
  /** The balances of both wallets now; null: the chain did not answer. */
  readonly balances: { readonly payer: string; readonly agent: string } | null
}

/** The events of the stream at `/events`, by name. */
export interface DevEvents {
  readonly view: DevView
  /** `is_start`: these replace all lines that the page has. */
  readonly lines: {
    readonly is_start: boolean
    readonly left_out: number
    readonly lines: readonly DevLine[]
  }
  readonly step: { readonly job_id: string; readonly step: DevStep }
}

/** The server's own refusal of a request. */
export interface PageRefusal {
  readonly error: string
}
