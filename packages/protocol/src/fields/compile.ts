import { formatPath } from '../problems/problem.ts'
import { MAX_OUTPUT_CHECK_STEPS } from '../limits.ts'
import type { CheckBudget } from './check-budget.ts'
import { compileMap } from './compile-value.ts'
import { describeValue } from './describe-value.ts'
import type { FieldMap, JsonObject } from './field.ts'
import {
  describePlainly,
  guard,
  isPlainObject,
  refuseValue,
  startCheckRun,
  type CheckRun,
} from './plain-json.ts'
import { INPUT_RULES, OUTPUT_RULES } from './value-rules.ts'

/** The first violation of an input or output, in declared order (D21). */
export interface Violation {
  /** The path in the usual notation: `items[2].name`. */
  readonly field: string
  /** The rule and a description of the value: `must be at least 1 character, got 0`. */
  readonly reason: string
}

/** Checks one input; never throws, never changes its argument. */
export type InputCheck = (input: JsonObject) => InputResult

/** The result of an {@link InputCheck}. */
export type InputResult =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly violation: Violation }

/** Checks one output of any kind; never throws, never changes its argument. */
export type OutputCheck = (output: unknown) => OutputResult

/** The result of an {@link OutputCheck}. */
export type OutputResult =
  | {
      readonly ok: true
      readonly value: JsonObject
      /** Paths of the undeclared fields that `value` omits, for the log; the first 20. */
      readonly dropped: readonly string[]
    }
  | { readonly ok: false; readonly violation: Violation }

/**
 * Builds the check of a capability's input: coerces (D19), then checks each field in declared order, fills in defaults and
 * removes undeclared fields (D20). Only own properties count: a required field called `toString` is missing from `{}`.
 * Object fields without `properties` and arrays without `items` are passed on unchanged. An input that needs more than
 * `MAX_INPUT_CHECK_STEPS` is refused.
 *
 * @param fields an `input_schema` without problems according to `checkFields`
 * @param budget shared with other checks; default: each input has the whole of its own
 * @throws {SyntaxError | RangeError} for a pattern or format that `checkFields` would have refused
 * @example
 * ```ts
 * import { compileInput, formatViolation } from '@farebox/protocol/fields/compile'
 *
 * const check = compileInput({ amount: { type: 'number', required: true } })
 * console.log(check({ amount: '1.5', extra: true })) // { ok: true, value: { amount: 1.5 } }
 *
 * const refused = check({})
 * if (!refused.ok) console.log(formatViolation(refused.violation)) // amount: is required
 * ```
 */
export function compileInput(fields: FieldMap, budget?: CheckBudget): InputCheck {
  const check = compileMap(fields, budget?.within(INPUT_RULES) ?? INPUT_RULES, 1)
  return input => {
    const run = startCheckRun()
    const value = spend(budget, run, () => check(input, run))
    return value === undefined ? { ok: false, violation: violationOf(run, 'input') } : { ok: true, value }
  }
}

/**
 * Builds the check of a capability's output: no coercion, every declared field must be present unless it has `required:
 * false`, and only plain JSON data is accepted, of which it makes a copy: the checked copy is what is sent. Undefined counts
 * as absent, null is a value of no type. Anything else that a handler can return (NaN, cycles, dates, class instances,
 * throwing getters, a Promise) is a violation, never an exception. So is an output that needs more than
 * `MAX_OUTPUT_CHECK_STEPS`.
 *
 * @param fields an `output_schema` without problems according to `checkFields`
 * @param budget shared with other checks; default: each output has the whole of its own
 * @throws {SyntaxError | RangeError} for a pattern or format that `checkFields` would have refused
 * @example
 * ```ts
 * import { compileOutput } from '@farebox/protocol/fields/compile'
 *
 * const check = compileOutput({ words: { type: 'integer' } })
 * console.log(check({ words: 2, cached: true })) // { ok: true, value: { words: 2 }, dropped: ['cached'] }
 * ```
 */
export function compileOutput(fields: FieldMap, budget?: CheckBudget): OutputCheck {
  const check = compileMap(fields, budget?.within(OUTPUT_RULES) ?? OUTPUT_RULES, 1)
  return output => {
    const run = startCheckRun(MAX_OUTPUT_CHECK_STEPS)
    const value = spend(budget, run, () =>
      guard(run, () => {
        if (typeof output !== 'object' || output === null) {
          return refuseValue(run, `must be an object, got ${describeValue(output)}`)
        }
        if (isPlainObject(output)) return check(output, run)
        return refuseValue(run, `must be a plain object, got ${describePlainly(output)}`)
      }),
    )
    if (value === undefined) return { ok: false, violation: violationOf(run, 'output') }
    return { ok: true, value, dropped: run.dropped.map(path => formatPath(path.toReversed())) }
  }
}

/** Runs a check within the remaining budget, and deducts its steps. */
function spend<T>(budget: CheckBudget | undefined, run: CheckRun, check: () => T): T {
  if (budget === undefined) return check()
  run.stepsLeft = Math.min(run.stepsLeft, budget.stepsLeft)
  const before = run.stepsLeft
  const result = check()
  budget.stepsLeft -= before - run.stepsLeft
  return result
}

/** The message form of the interface: `"<field>: <reason>"` (D21). */
export function formatViolation(violation: Violation): string {
  return `${violation.field}: ${violation.reason}`
}

/** The path was recorded from the inside out; a value that is wrong as a whole is called by the name of its side. */
function violationOf(run: CheckRun, whole: string): Violation {
  const field = formatPath(run.path.toReversed())
  return { field: field === '' ? whole : field, reason: run.reason }
}
