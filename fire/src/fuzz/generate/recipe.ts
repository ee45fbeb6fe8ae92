import type { JsonObject } from 'farebox'
import type { SettleFault, VerifyFault } from 'farebox/testing'
import type { Mode } from '../run/fuzz-stage.ts'
import type { Accident } from './accidents.ts'
import type { BodySpoil } from './body-spoils.ts'
import type { InputSpoil } from './input-spoils.ts'
import type { PaymentSpoil } from './payment-spoils.ts'
import type { SentValue } from './values.ts'

/** A job, with all that is wrong with it. Nothing of the request is left to chance but the time it is made at. */
export interface Recipe {
  readonly mode: Mode
  readonly jobId: string
  readonly capability: string
  /** Whether the capability is named: where none is, the first declared is meant. */
  readonly isNamed: boolean
  readonly input: SentValue<JsonObject>
  readonly inputSpoil: InputSpoil | undefined
  /** What a handler of good will returns. */
  readonly output: JsonObject
  readonly secondsLeft: number
  /** Undefined: none is sent. */
  readonly contentType: string | undefined
  readonly bodySpoils: readonly BodySpoil[]
  /** What then befell its bytes. */
  readonly accidents: readonly Accident[]
  /** Undefined: no payment is sent. */
  readonly payment: PaymentRecipe | undefined
  readonly behaviour: string
  /** What the facilitator does out of order. */
  readonly verifyFault: VerifyFault | undefined
  /** What `settle` then answers, time after time. */
  readonly settleFaults: readonly SettleFault[]
  /** Whether it is sent twice at once, and then again in every way. */
  readonly isRepeated: boolean
}

export interface PaymentRecipe {
  readonly spoils: readonly PaymentSpoil[]
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
/** After seven times `unknown` the job is answered 503. */
export const SETTLE_FAULTS: readonly (readonly SettleFault[])[] = [
  ['failed'],
  ['unknown'],
  Array.from({ length: 7 }, () => 'unknown'),
]
