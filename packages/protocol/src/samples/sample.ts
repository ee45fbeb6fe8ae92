import { formatPath } from '../problems/problem.ts'
import { startCheckBudget, type CheckBudget } from '../fields/check-budget.ts'
import { compileInput, compileOutput, type Violation } from '../fields/compile.ts'
import { compileValue } from '../fields/compile-value.ts'
import type { Field, FieldMap, JsonObject, JsonValue, Side } from '../fields/field.ts'
import {
  copyPlainJson,
  countValues,
  setOwn,
  startCheckRun,
  takeSteps,
  type CheckRun,
} from '../fields/plain-json.ts'
import { sampleText } from './sample-text.ts'
import { DECLARED_INPUT_RULES, OUTPUT_RULES, type Rules } from '../fields/value-rules.ts'

/** A valid value for a whole map of fields, or the field without one and the reason. */
export type SampleResult =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly violation: Violation }

/**
 * Creates an example that the check of the same side accepts: for forms, `curl` lines and tests. A field's own examples are
 * tried first, then its default, then its enum, then a value created from its constraints. For an input, only those optional
 * fields are included that have a default; for an output, all are, unless no value can be created. The same fields always
 * give the same sample.
 *
 * Some fields have no valid value (`minimum: 0.2, maximum: 0.8` on an integer) and some patterns are not supported; the
 * result then names the field that needs `examples`.
 *
 * @param fields a map without problems according to `checkFields`
 * @param budget shared with other samples and checks; default: a new one
 * @example
 * ```ts
 * import { sample } from '@farebox/protocol/samples/sample'
 *
 * console.log(sample({ text: { type: 'string', required: true } })) // { ok: true, value: { text: 'text' } }
 * ```
 */
export function sample(
  fields: FieldMap,
  side: Side = 'input',
  budget: CheckBudget = startCheckBudget(),
): SampleResult {
  const rules = budget.within(side === 'input' ? DECLARED_INPUT_RULES : OUTPUT_RULES)
  const run = startCheckRun(budget.stepsLeft)
  const made = sampleMap(fields, rules, run)
  budget.stepsLeft = run.stepsLeft
  if (!made.ok) return { ok: false, violation: { field: formatPath(made.path), reason: made.reason } }
  const check = side === 'input' ? compileInput(fields, budget) : compileOutput(fields, budget)
  const checked = check(made.value)
  return checked.ok ? { ok: true, value: made.value } : checked
}

type Sampled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly path: readonly (string | number)[]; readonly reason: string }

function sampleMap(fields: FieldMap, rules: Rules, budget: CheckRun): Sampled<JsonObject> {
  const value: JsonObject = {}
  for (const [name, field] of Object.entries(fields)) {
    if (!rules.isInSamples(field)) continue
    const made = sampleField(field, rules, budget)
    if (made.ok) setOwn(value, name, made.value)
    else if (rules.isRequired(field)) return { ...made, path: [name, ...made.path] }
  }
  return { ok: true, value }
}

/** The first candidate that the field's own check accepts. */
function sampleField(field: Field, rules: Rules, budget: CheckRun): Sampled<JsonValue> {
  const check = compileValue(field, rules, 0)
  const accepts = (candidate: JsonValue): boolean => {
    const run = { ...startCheckRun(), stepsLeft: budget.stepsLeft }
    const isTaken = check(candidate, run) !== undefined
    budget.stepsLeft = run.stepsLeft
    return isTaken
  }
  for (const candidate of [...(field.examples ?? []), ...defaultOf(field), ...(field.enum ?? [])]) {
    const copy = copyPlainJson(candidate, budget, 0)
    if (copy !== undefined && accepts(copy)) return { ok: true, value: copy }
  }
  const made = makeValue(field, rules, budget, accepts)
  if (!made.ok || accepts(made.value)) return made
  return NOTHING_MADE
}

const NOTHING_MADE = { ok: false, path: [], reason: 'no sample could be made, it needs "examples"' } as const

function defaultOf(field: Field): readonly JsonValue[] {
  return field.default === undefined ? [] : [field.default]
}

function makeValue(
  field: Field,
  rules: Rules,
  budget: CheckRun,
  accepts: (candidate: JsonValue) => boolean,
): Sampled<JsonValue> {
  switch (field.type) {
    case 'string':
      // Parsing a pattern and creating its texts takes longer than checking one of them.
      if (field.pattern !== undefined && !takeSteps(budget, STEPS_PER_PATTERN)) return NOTHING_MADE
      return firstOf(sampleText(field), accepts)
    case 'number':
    case 'integer':
      return firstOf(sampleNumbers(field), accepts)
    case 'boolean':
      return firstOf([true, false], accepts)
    case 'array':
      return sampleArray(field, rules, budget)
    case 'object':
      return sampleMap(field.properties ?? {}, rules, budget)
  }
}

const STEPS_PER_PATTERN = 10_000

function firstOf(
  candidates: Iterable<JsonValue>,
  accepts: (candidate: JsonValue) => boolean,
): Sampled<JsonValue> {
  for (const value of candidates) {
    if (accepts(value)) return { ok: true, value }
  }
  return NOTHING_MADE
}

function sampleNumbers({ minimum, maximum }: Field): number[] {
  const candidates = [1, 0]
  if (minimum !== undefined) candidates.push(Math.ceil(minimum), minimum)
  if (maximum !== undefined) candidates.push(Math.floor(maximum), maximum)
  return candidates
}

/** One item if that is allowed, because an empty array does not show what belongs into it; otherwise the minimum. */
function sampleArray(field: Field, rules: Rules, budget: CheckRun): Sampled<JsonValue> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = field
  const length = Math.min(Math.max(1, minItems), maxItems)
  if (length === 0) return { ok: true, value: [] }
  const item = items === undefined ? TEXT_ITEM : sampleField(items, rules, budget)
  if (!item.ok) return minItems === 0 ? { ok: true, value: [] } : { ...item, path: [0, ...item.path] }
  if (!countValues(budget, length)) return NOTHING_MADE
  const copies: JsonValue[] = []
  for (let index = 0; index < length; index += 1) {
    const copy = copyPlainJson(item.value, budget, 0)
    if (copy === undefined) return NOTHING_MADE
    copies.push(copy)
  }
  return { ok: true, value: copies }
}

const TEXT_ITEM = { ok: true, value: 'text' } as const
