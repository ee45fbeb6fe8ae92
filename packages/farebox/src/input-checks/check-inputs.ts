import type { Turns } from '@farebox/protocol/internal/body/turns'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { InputResult } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { ServedCapability } from '../handler/served-capability.ts'
import { createInputThread } from './input-thread.ts'

/** Checks inputs without delaying other requests for long (D42). */
export interface InputChecks {
  /**
   * Checks one input; violations are in the result, and never reject. `readInput` is called when the check begins;
   * `bodyBytes` is the length of the request's body.
   */
  check(capability: ServedCapability, readInput: () => JsonObject, bodyBytes: number): Promise<InputResult>
  close(): Promise<void>
}

/** A larger input may use all steps of a check: with an expensive pattern that takes up to a second. */
const LARGE_INPUT_BYTES = 16_384

/**
 * Makes the checks. Small inputs are checked at once. Of the large ones, one is checked per turn of the event loop;
 * when the schema has a pattern, it is checked in a thread, which starts with the first of them.
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
