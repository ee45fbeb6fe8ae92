import type { JsonObject } from 'farebox'
import type { SettleFault, VerifyFault } from 'farebox/testing'
import type { Mode } from '../run/fuzz-stage.ts'
import type { Accident } from './accidents.ts'
import type { BodySpoil } from './body-spoils.ts'
import type { InputSpoil } from './input-spoils.ts'
import type { PaymentSpoil } from './payment-spoils.ts'
import type { SentValue } from './values.ts'

/** A job with all its faults. Apart from the current time, the request is fully determined by it. */
export interface Recipe {
  readonly mode: Mode
  readonly jobId: string
  readonly capability: string
  /** Whether the capability is named; without a name, the first declared one is used. */
  readonly isNamed: boolean
  readonly input: SentValue<JsonObject>
  readonly inputSpoil: InputSpoil | undefined
  /** The output of a valid handler. */
  readonly output: JsonObject
  readonly secondsLeft: number
  /** Undefined: no input is sent. */
  readonly contentType: string | undefined
  readonly bodySpoils: readonly BodySpoil[]
  /** The mutations of its bytes. */
  readonly accidents: readonly Accident[]
  /** Undefined: no payment is sent. */
  readonly payment: PaymentRecipe | undefined
  readonly behaviour: string
  /** The facilitator's fault. */
  readonly verifyFault: VerifyFault | undefined
  /** The answers of `settle`, in order. */
  readonly settleFaults: readonly SettleFault[]
  /** Whether it is sent twice at once, and then repeated in every way. */
  readonly isRepeated: boolean
}

export interface PaymentRecipe {
  readonly spoils: readonly PaymentSpoil[]
  readonly version: 1 | 2
  /** Index of the wallet that pays. */
  readonly payer: number
  /** 32 bytes of hex, never of the bound form. */
  readonly nonce: string
  readonly bound: boolean
  /** Whether it is sent as `X-PAYMENT`. */
  readonly alias: boolean
}

export const VERIFY_FAULTS = ['invalid', 'unauthorized', 'unavailable'] as const
/** After seven `unknown` results the job is answered 503. */
export const SETTLE_FAULTS: readonly (readonly SettleFault[])[] = [
  ['failed'],
  ['unknown'],
  Array.from({ length: 7 }, () => 'unknown'),
]
