import type { InputResult } from '@farebox/protocol/fields/compile'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** One input, as it is sent to the thread. */
export interface InputOrder {
  readonly id: number
  readonly capability: string
  readonly input: JsonObject
}

/** What the thread answers. */
export interface CheckedInput {
  readonly id: number
  readonly result: InputResult
}
