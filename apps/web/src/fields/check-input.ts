import { compileInput, type InputResult } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'

/** Checks an input by the agent's own rules, so that the page refuses in the agent's words. */
export function checkInput(fields: FieldMap, input: JsonObject): InputResult {
  return compileInput(fields)(input)
}

/** An input that would be taken. Undefined where none could be made. */
export function sampleInput(fields: FieldMap): JsonObject | undefined {
  const made = sample(fields)
  return made.ok ? made.value : undefined
}
