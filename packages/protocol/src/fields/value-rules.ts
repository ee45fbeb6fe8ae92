import { coerce, isOfType } from './coerce.ts'
import type { Field, FieldType, JsonValue } from './field.ts'
import { compilePattern, type PatternTest } from './pattern.ts'
import type { CheckRun } from './plain-json.ts'

/** Checks a value; undefined means refused, with the reason in the run. */
export type ValueCheck = (value: unknown, run: CheckRun) => JsonValue | undefined

/** In what the checks of inputs, of outputs and of a declaration's own values differ. */
export interface Rules {
  /** The value as the type asks for it, or undefined. */
  readonly convert: (value: unknown, type: FieldType) => JsonValue | undefined
  readonly isRequired: (field: Field) => boolean
  /** Whether an example has the field. */
  readonly isInSamples: (field: Field) => boolean
  readonly compilePattern: (source: string) => PatternTest
  /** Checks that were built before, so that a field is built once however many of its parents are. */
  readonly built?: Map<Field, ValueCheck>
  /** Whether values come from code that may have made anything, rather than from a JSON parser. */
  readonly distrust: boolean
}

/** D19, D20: JSON from a caller; coerced, and what is not declared falls away. */
export const INPUT_RULES: Rules = {
  convert: coerce,
  isRequired: field => field.required === true,
  // An optional field that a caller has not filled in changes what the agent does.
  isInSamples: field => field.required === true || field.default !== undefined,
  compilePattern,
  distrust: false,
}

/**
 * D19, D20: whatever a handler returned; never coerced, and copied, so that what was checked is what is sent.
 */
export const OUTPUT_RULES: Rules = {
  convert: asItIs,
  isRequired: field => field.required !== false,
  isInSamples: () => true,
  compilePattern,
  distrust: true,
}

/**
 * `default`, `examples` and `enum` of an input: already of their type, with the input's idea of `required`.
 */
export const DECLARED_INPUT_RULES: Rules = { ...INPUT_RULES, convert: asItIs }

function asItIs(value: unknown, type: FieldType): JsonValue | undefined {
  return isOfType(value, type) ? value : undefined
}
