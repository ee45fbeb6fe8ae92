import { startCheckBudget, type CheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import { compileInput, compileOutput, type Violation } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { isSmall } from '../small-json.ts'
import { createCompiledCache, type CompiledCache } from './compiled-cache.ts'

/** The result of a check: the first violation, or `undefined` when the value is valid. */
export interface SmallVerdict {
  readonly violation: Violation | undefined
}

/** Checks that cost less than passing them to a thread. */
export interface SmallChecks {
  /** `undefined` when the check may cost more and must run in a thread. */
  input(fields: string, input: JsonObject): SmallVerdict | undefined
  /** `undefined` when the check may cost more and must run in a thread. */
  output(fields: string, output: JsonObject): SmallVerdict | undefined
}

const MAX_SCHEMA_CHARACTERS = 8_192
/** About as many steps as a thousand values need. */
const MAX_STEPS = 4_000
const PATTERN = '"pattern"'

/** Creates the checks with empty caches. */
export function createSmallChecks(): SmallChecks {
  const inputs = createCompiledCache(fields => compileSmall(fields, compileInput))
  const outputs = createCompiledCache(fields => compileSmall(fields, compileOutput))
  return {
    input: (fields, input) => checkSmall(inputs, fields, input),
    output: (fields, output) => checkSmall(outputs, fields, output),
  }
}

interface SmallCheck {
  readonly budget: CheckBudget
  check(value: JsonObject): { readonly ok: true } | { readonly ok: false; readonly violation: Violation }
}

function compileSmall(
  fields: FieldMap,
  compile: (fields: FieldMap, budget: CheckBudget) => SmallCheck['check'],
): SmallCheck {
  const budget = startCheckBudget()
  return { budget, check: compile(fields, budget) }
}

function checkSmall(
  compiled: CompiledCache<SmallCheck>,
  fields: string,
  value: JsonObject,
): SmallVerdict | undefined {
  // A pattern is expensive to compile and to match.
  if (fields.length > MAX_SCHEMA_CHARACTERS || fields.includes(PATTERN)) return undefined
  // The contents of a field without its own schema are not counted in steps before they are compared or listed.
  if (!isSmall(value)) return undefined
  const { budget, check } = compiled.get(fields)
  budget.stepsLeft = MAX_STEPS
  const checked = check(value)
  if (budget.stepsLeft < 0) return undefined
  return { violation: checked.ok ? undefined : checked.violation }
}
