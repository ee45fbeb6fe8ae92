import type { InputResult } from '@farebox/protocol/fields/compile'
import type { JsonObject } from '@farebox/protocol/fields/field'

/** A message to the thread with one input. */
export interface InputOrder {
  readonly id: number
  readonly capability: string
  readonly input: JsonObject
}

/** The thread's answer. */
export interface CheckedInput {
  readonly id: number
  readonly result: InputResult
}
