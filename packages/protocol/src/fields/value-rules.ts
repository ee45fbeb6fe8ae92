import { coerce, isOfType } from './coerce.ts'
import type { Field, FieldType, JsonValue } from './field.ts'
import { compilePattern, type PatternTest } from './pattern.ts'
import type { CheckRun } from './plain-json.ts'

/** Checks a value; undefined means refused, with the reason in the run. */
export type ValueCheck = (value: unknown, run: CheckRun) => JsonValue | undefined

/** The differences between the checks of inputs, of outputs and of a declaration's own values. */
export interface Rules {
  /** Converts the value to the type, or returns undefined. */
  readonly convert: (value: unknown, type: FieldType) => JsonValue | undefined
  readonly isRequired: (field: Field) => boolean
  /** Do samples contain the field? */
  readonly isInSamples: (field: Field) => boolean
  readonly compilePattern: (source: string) => PatternTest
  /** Checks built earlier, so that each field is built once, however many parents it has. */
  readonly built?: Map<Field, ValueCheck>
  /** May values come from arbitrary code, rather than from a JSON parser? */
  readonly distrust: boolean
}

/** D19, D20: JSON from a caller; coerced, and undeclared fields are removed. */
export const INPUT_RULES: Rules = {
  convert: coerce,
  isRequired: field => field.required === true,
  // An optional field that the caller did not send would change the agent's behaviour.
  isInSamples: field => field.required === true || field.default !== undefined,
  compilePattern,
  distrust: false,
}

/** D19, D20: the return value of a handler; never coerced, and copied, so that the checked value is what is sent. */
export const OUTPUT_RULES: Rules = {
  convert: asItIs,
  isRequired: field => field.required !== false,
  isInSamples: () => true,
  compilePattern,
  distrust: true,
}

/** `default`, `examples` and `enum` of an input: already of their type, with the input's meaning of `required`. */
export const DECLARED_INPUT_RULES: Rules = { ...INPUT_RULES, convert: asItIs }

function asItIs(value: unknown, type: FieldType): JsonValue | undefined {
  return isOfType(value, type) ? value : undefined
}
