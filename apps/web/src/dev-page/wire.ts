import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'

/** A capability of the served version of the agent. */
export interface DevCapability {
  readonly name: string
  readonly description: string
  /** Decimal USDC. */
  readonly price: string
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
  /** Whether it has no handler yet; its answers are then generated from the output schema. */
  readonly is_sample: boolean
}

/** The version of the agent that currently answers. */
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

/** The state of the agent under edit, as in the terminal of `farebox dev`. */
export interface DevView {
  /** The number of versions served in this run of `farebox dev`. */
  readonly version: number
  /** The last valid version; null until there is one. */
  readonly agent: DevAgent | null
  /** `loading`: a change is being loaded; `idle`: no version answers until the next save. */
  readonly phase: 'loading' | 'serving' | 'idle'
  /** The change that led to the served version; null for the first version. */
  readonly change: { readonly words: string; readonly took_ms: number } | null
  /** Why the newest change is not served, or why the process ended, as printed in the terminal. */
  readonly problem: { readonly text: string; readonly next: string } | null
  /** Type errors, which do not keep a version from being served; the first few, one text each. */
  readonly type_errors: readonly string[]
}

/** A line of the terminal, without control sequences. */
export interface DevLine {
  /** Increases with each line within a run of `farebox dev`. */
  readonly id: number
  readonly text: string
  readonly from: 'out' | 'err' | 'dev'
  /** The job that the line names; null when it names none. */
  readonly job_id: string | null
  /** Unix milliseconds. */
  readonly at_ms: number
}

/** A job to run. */
export interface DevJob {
  /** UUID v4, chosen by the page, which uses it to follow the steps of the job. */
  readonly job_id: string
  readonly capability: string
  readonly input: JsonObject
}

/** A step of a job, with its duration. */
export type DevStep =
  /** The agent was called without a payment and returned its price. */
  | { readonly kind: 'asked'; readonly ms: number; readonly amount: string | null }
  | { readonly kind: 'signed'; readonly ms: number; readonly payer: string }
  | { readonly kind: 'verified'; readonly ms: number; readonly amount: string }
  | { readonly kind: 'input-valid'; readonly ms: number }
  /** The handler returned, and its output was validated. */
  | { readonly kind: 'ran'; readonly ms: number }
  | { readonly kind: 'settled'; readonly ms: number; readonly transaction: string }
  /** The agent delivered, and warns that it would not deliver in production. */
  | { readonly kind: 'warned'; readonly reason: string }
  /** The job failed, or its outcome is not known yet. */
  | { readonly kind: 'refused' | 'failed' | 'pending'; readonly reason: string }

/** The agent's response, unchanged. */
export interface DevAnswer {
  readonly job_id: string
  /** HTTP status; null when no response arrived, in which case `trouble` says why. */
  readonly status: number | null
  /** The unchanged body; empty when there was no response. */
  readonly body: string
  /** From the first byte sent to the last byte received, over all exchanges of the job. */
  readonly ms: number
  readonly steps: readonly DevStep[]
  readonly trouble: string | null
  /** The transfer, once it is in a block; null when none is known. */
  readonly settled: Settled | null
}

/** A transfer that is in a block. Amounts are in decimal USDC. */
export interface Settled {
  readonly amount: string
  readonly payer: string
  readonly pay_to: string
  /** Null when the agent's receipt does not name the transaction. */
  readonly transaction: string | null
  readonly block_number: number | null
  /** The current balances of both wallets; null when the chain did not answer. */
  readonly balances: { readonly payer: string; readonly agent: string } | null
}

/** The events of the stream at `/events`, by name. */
export interface DevEvents {
  readonly view: DevView
  /** `is_start`: these lines replace all lines of the page. */
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
