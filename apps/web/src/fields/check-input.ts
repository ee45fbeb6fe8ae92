import { compileInput, type InputResult } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'

/** Validates an input by the agent's own rules, so that the page refuses it with the agent's messages. */
export function checkInput(fields: FieldMap, input: JsonObject): InputResult {
  return compileInput(fields)(input)
}

/** A sample input that the agent would accept; undefined when none could be generated. */
export function sampleInput(fields: FieldMap): JsonObject | undefined {
  const made = sample(fields)
  return made.ok ? made.value : undefined
}
