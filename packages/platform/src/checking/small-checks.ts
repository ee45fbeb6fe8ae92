import { startCheckBudget, type CheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import { compileInput, compileOutput, type Violation } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { isSmall } from '../small-json.ts'
import { createCompiledCache, type CompiledCache } from './compiled-cache.ts'

/** What a check has found: nothing, or the first thing wrong. */
export interface SmallVerdict {
  readonly violation: Violation | undefined
}

/** Checks that cost less than handing them to a thread does. */
export interface SmallChecks {
  /** Undefined where it may cost more: a thread is to check it. */
  input(fields: string, input: JsonObject): SmallVerdict | undefined
  /** Likewise. */
  output(fields: string, output: JsonObject): SmallVerdict | undefined
}

const MAX_SCHEMA_CHARACTERS = 8_192
/** A thousand values, or as much as that. */
const MAX_STEPS = 4_000
const PATTERN = '"pattern"'

/** Makes some that know no schema yet. */
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
  // A pattern is costly to compile and to match.
  if (fields.length > MAX_SCHEMA_CHARACTERS || fields.includes(PATTERN)) return undefined
  // What a field without a schema of its own holds is not counted in steps before it is compared or listed.
  if (!isSmall(value)) return undefined
  const { budget, check } = compiled.get(fields)
  budget.stepsLeft = MAX_STEPS
  const checked = check(value)
  if (budget.stepsLeft < 0) return undefined
  return { violation: checked.ok ? undefined : checked.violation }
}
