import type { Turns } from '@farebox/protocol/internal/body/turns'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { InputResult } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ServedCapability } from '../handler/served-capability.ts'
import { createInputThread } from './input-thread.ts'

/** Checks inputs so that no other request waits long for it (D42). */
export interface InputChecks {
  /**
   * Never rejects for what is wrong with the input: that is in the result. `readInput` is called when it is the
   * input's turn; `bodyBytes` is the length of its request's body.
   */
  check(capability: ServedCapability, readInput: () => JsonObject, bodyBytes: number): Promise<InputResult>
  close(): Promise<void>
}

/** Inputs of larger requests may take all steps that a check has: with a pattern of one's own, up to a second. */
const LARGE_INPUT_BYTES = 16_384

/**
 * Small inputs are checked at once. Large ones are checked one in a turn of the event loop; where their schema has a
 * pattern, in a thread, which starts with the first of them.
 */
export function createInputChecks({ capabilities }: Declaration, turns: Turns): InputChecks {
  const thread = createInputThread(
    Object.fromEntries(Object.entries(capabilities).map(([name, { input_schema }]) => [name, input_schema])),
  )
  const withPattern = new Set(
    Object.entries(capabilities).flatMap(([name, { input_schema }]) =>
      hasPattern(input_schema) ? [name] : [],
    ),
  )
  return {
    async check({ name, checkInput }, readInput, bodyBytes) {
      if (bodyBytes <= LARGE_INPUT_BYTES) return checkInput(readInput())
      return await turns.take(() =>
        withPattern.has(name) ? thread.check(name, readInput()) : checkInput(readInput()),
      )
    },
    close: () => thread.close(),
  }
}

function hasPattern(fields: FieldMap): boolean {
  return Object.values(fields).some(
    ({ pattern, items, properties }) =>
      pattern !== undefined ||
      (items !== undefined && hasPattern({ items })) ||
      (properties !== undefined && hasPattern(properties)),
  )
}
