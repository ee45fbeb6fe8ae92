import { passage } from '../fields/coerce.ts'
import { worst, type Compatibility } from './compatibility.ts'
import { rangeFindings, scalarFindings } from './compatible-scalars.ts'
import { startCheckBudget, type CheckBudget } from '../fields/check-budget.ts'
import { compileValue } from '../fields/compile-value.ts'
import { describeValue } from '../fields/describe-value.ts'
import { comparableJson } from '../fields/equal-json.ts'
import type { Field, FieldMap, JsonValue } from '../fields/field.ts'
import { startCheckRun } from '../fields/plain-json.ts'
import { INPUT_RULES, type ValueCheck } from '../fields/value-rules.ts'

export type { Compatibility, Grade } from './compatibility.ts'

/** How a map of outputs feeds a map of inputs; fields are matched by name. */
export interface MapsCompatibility {
  /** Inputs with an output of the same name, in the inputs' order, including impossible ones. */
  readonly matches: readonly (Compatibility & { readonly name: string })[]
  /** Inputs without an output of the same name, in the inputs' order. */
  readonly open: readonly { readonly name: string; readonly required: boolean }[]
}

/**
 * Can values of an output field feed an input field? Uses the server's table of coercions (D19), and considers every
 * constraint of both sides. The result is `lossy` when the comparison takes too many steps.
 *
 * @param budget shared with other comparisons; default one of its own
 * @example
 * ```ts
 * import { compatible } from '@farebox/protocol/compatibility/compatible'
 *
 * console.log(compatible({ type: 'number' }, { type: 'string' }))
 * // { grade: 'safe', reason: 'every number becomes its text' }
 * ```
 */
export function compatible(
  output: Field,
  input: Field,
  budget: CheckBudget = startCheckBudget(),
): Compatibility {
  const way = passage(output.type, input.type)
  if (way === 'never') {
    return {
      grade: 'impossible',
      reason: `${withArticle(output.type)} never becomes ${withArticle(input.type)}`,
    }
  }
  budget.stepsLeft -= STEPS_PER_COMPARISON
  if (budget.stepsLeft < 0) return TOO_MUCH_TO_COMPARE
  if (output.enum !== undefined) return compareValues(output.enum, input, budget)
  if (output.type === 'boolean') return compareValues([true, false], input, budget)
  return worst([
    ...scalarFindings(output, input, way),
    ...containerFindings(output, input, budget),
    ...enumFindings(input),
  ])
}

/** The cost of comparing two fields and describing the result. */
const STEPS_PER_COMPARISON = 100

/**
 * Matches the outputs of one step with the inputs of the next by name.
 *
 * @param budget shared with other comparisons; default one of its own
 * @example
 * ```ts
 * import { compatibleMaps } from '@farebox/protocol/compatibility/compatible'
 *
 * const { matches, open } = compatibleMaps(
 *   { text: { type: 'string' } },
 *   { text: { type: 'string' }, to: { type: 'string', required: true } },
 * )
 * console.log(matches[0]?.grade, open) // same [{ name: 'to', required: true }]
 * ```
 */
export function compatibleMaps(
  outputs: FieldMap,
  inputs: FieldMap,
  budget: CheckBudget = startCheckBudget(),
): MapsCompatibility {
  const matches: (Compatibility & { name: string })[] = []
  const open: { name: string; required: boolean }[] = []
  for (const [name, input] of Object.entries(inputs)) {
    const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined
    if (output === undefined) open.push({ name, required: input.required === true })
    else
      matches.push({
        name,
        ...worst([compatible(output, input, budget), ...presenceFindings(output, input)]),
      })
  }
  return { matches, open }
}

/** When all values are known, they are tested with the input's own check. */
function compareValues(values: readonly JsonValue[], input: Field, budget: CheckBudget): Compatibility {
  const check = compileOnce(input, budget)
  let changed: string | undefined
  let refused: string | undefined
  let passed = 0
  for (const value of values) {
    const before = comparableJson(value)
    const run = { ...startCheckRun(), stepsLeft: budget.stepsLeft - STEPS_PER_VALUE - before.length }
    const taken = run.stepsLeft < 0 ? undefined : check(value, run)
    budget.stepsLeft = run.stepsLeft
    if (run.stepsLeft < 0) return TOO_MUCH_TO_COMPARE
    if (taken === undefined) refused ??= `${describeValue(value)} is refused: ${run.reason}`
    else passed += 1
    if (taken !== undefined && comparableJson(taken) !== before) {
      changed ??= `${describeValue(value)} becomes ${describeValue(taken)}`
    }
  }
  if (refused !== undefined && passed === 0) return { grade: 'impossible', reason: refused }
  if (refused !== undefined) return { grade: 'lossy', reason: `can fail at run time: ${refused}` }
  if (changed !== undefined) return { grade: 'safe', reason: changed }
  return { grade: 'same', reason: 'every value it can have is accepted' }
}

const TOO_MUCH_TO_COMPARE = {
  grade: 'lossy',
  reason: 'can fail at run time: its values are too many to compare',
} as const

/** Building the check of a field counts once: its `enum` becomes the keys of a set. */
function compileOnce(input: Field, budget: CheckBudget): ValueCheck {
  const rules = budget.within(INPUT_RULES)
  if (rules.built?.has(input) !== true) budget.stepsLeft -= JSON.stringify(input).length
  return compileValue(input, rules, 0)
}

/** The cost of a value, which is serialized as a key, checked, and serialized again. */
const STEPS_PER_VALUE = 50

function enumFindings(input: Field): Compatibility[] {
  if (input.enum === undefined) return []
  return [{ grade: 'lossy', reason: "can fail at run time: only the values of the input's enum pass" }]
}

function containerFindings(output: Field, input: Field, budget: CheckBudget): Compatibility[] {
  if (input.type === 'array') return arrayFindings(output, input, budget)
  if (input.type === 'object') return objectFindings(output, input, budget)
  return []
}

function arrayFindings(output: Field, input: Field, budget: CheckBudget): Compatibility[] {
  const lengths = rangeFindings(
    [output.minItems ?? 0, output.maxItems ?? Number.POSITIVE_INFINITY],
    [input.minItems ?? 0, input.maxItems ?? Number.POSITIVE_INFINITY],
    'number of items',
  )
  if (input.items === undefined) return lengths
  if (output.items === undefined) return [...lengths, undeclared('items')]
  const { grade, reason } = compatible(output.items, input.items, budget)
  return [...lengths, { grade, reason: `items: ${reason}` }]
}

function objectFindings(output: Field, input: Field, budget: CheckBudget): Compatibility[] {
  if (input.properties === undefined) return []
  if (output.properties === undefined) return [undeclared('properties')]
  const names = Object.keys(output.properties).length + Object.keys(input.properties).length
  budget.stepsLeft -= STEPS_PER_NAME * names
  const { matches, open } = compatibleMaps(output.properties, input.properties, budget)
  const inputs = input.properties
  const findings = matches.map(({ name, grade, reason }) => ({ grade, reason: `${name}: ${reason}` }))
  for (const { name, required } of open) {
    if (required) findings.push({ grade: 'impossible', reason: `${name}: is required and not in the output` })
    else if (inputs[name]?.default !== undefined) {
      findings.push({ grade: 'safe', reason: `${name}: its default stands in` })
    }
  }
  const dropped = Object.keys(output.properties).filter(name => !Object.hasOwn(inputs, name))
  if (dropped.length > 0)
    findings.push({ grade: 'safe', reason: `${dropped.join(', ')}: left out, not declared` })
  return findings
}

/** The cost of a name, which is looked up on the other side and may be listed. */
const STEPS_PER_NAME = 20

function presenceFindings(output: Field, input: Field): Compatibility[] {
  if (output.required !== false) return []
  if (input.required === true) {
    return [
      { grade: 'lossy', reason: 'can fail at run time: the output may leave it out, the input requires it' },
    ]
  }
  return input.default === undefined
    ? []
    : [{ grade: 'safe', reason: 'its default stands in where it is left out' }]
}

function undeclared(what: string): Compatibility {
  return { grade: 'lossy', reason: `can fail at run time: the output does not declare its ${what}` }
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}
