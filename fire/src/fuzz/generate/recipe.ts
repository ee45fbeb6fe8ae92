import type { JsonObject } from 'farebox'
import type { Mode } from '../run/fuzz-stage.ts'
import type { Accident } from './accidents.ts'
import type { InputSpoil } from './input-spoils.ts'
import type { SentValue } from './values.ts'

/** How one request is made: plain JSON, so that it can be printed and shrunk. Nothing else of it is left to chance. */
export type Recipe = ExecuteRecipe | WildRecipe

/** A job, with what is wrong with it by name. */
export interface ExecuteRecipe {
  readonly kind: 'execute'
  readonly mode: Mode
  readonly jobId: string
  readonly capability: string
  /** Whether the capability is named: where none is, the first declared is meant. */
  readonly isNamed: boolean
  readonly input: SentValue<JsonObject>
  /** What a handler of good will returns. */
  readonly output: JsonObject
  readonly secondsLeft: number
  readonly contentType: string
  readonly bodySpoils: readonly SpoilChoice[]
  readonly inputSpoil: InputSpoil | undefined
  /** Undefined: no payment is sent. */
  readonly payment: PaymentRecipe | undefined
  readonly behaviour: string
  /** What the facilitator does out of order. */
  readonly verifyFault: (typeof VERIFY_FAULTS)[number] | undefined
  readonly settleFault: (typeof SETTLE_FAULTS)[number] | undefined
  /** What is sent after it, or beside it. */
  readonly repeat: (typeof REPEATS)[number] | undefined
}

/** A good job whose bytes met with accidents. */
export interface WildRecipe {
  readonly kind: 'wild'
  readonly mode: Mode
  readonly job: ExecuteRecipe
  readonly accidents: readonly Accident[]
  /** What a handler returns, by capability: an accident may name another. */
  readonly outputs: { readonly [capability: string]: JsonObject }
}

/** Something wrong, by name, and which of its values it takes. */
export interface SpoilChoice {
  readonly name: string
  readonly pick: number
}

export interface PaymentRecipe {
  readonly spoils: readonly SpoilChoice[]
  readonly version: 1 | 2
  /** Index of the wallet that pays. */
  readonly payer: number
  /** 32 bytes of hex, never the bound form. */
  readonly nonce: string
  readonly bound: boolean
  /** Whether it is sent as `X-PAYMENT`. */
  readonly alias: boolean
}

export const VERIFY_FAULTS = ['invalid', 'unauthorized', 'unavailable'] as const
export const SETTLE_FAULTS = ['failed', 'unknown once', 'unknown for long'] as const

/** All ways in which a job is sent again. */
export const REPEATS = [
  'the same again',
  'the same beside it',
  'a new authorization',
  'another payer',
  'the payment for another job',
  'two jobs with one payment at once',
] as const
