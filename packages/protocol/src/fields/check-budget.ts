import { MAX_DECLARATION_CHECK_STEPS, MAX_DECLARATION_PATTERN_INSTRUCTIONS } from '../limits.ts'
import type { Field } from './field.ts'
import { compilePattern, type PatternTest } from './pattern.ts'
import type { Rules, ValueCheck } from './value-rules.ts'

/** The shared cost limit of a group of checks, samples and comparisons, with the state shared between them (D42). */
export interface CheckBudget {
  /** Below zero: nothing more is checked. */
  stepsLeft: number
  /**
   * The same rules with caches, so that each pattern is compiled once and the check of each field is built once within the
   * group.
   */
  within(rules: Rules): Rules
}

/**
 * Creates an unused budget.
 *
 * @param limits.steps the steps that checks may take
 * @param limits.instructions the instructions that all compiled patterns may have together
 */
export function startCheckBudget(
  limits: { readonly steps?: number; readonly instructions?: number } = {},
): CheckBudget {
  const { steps = MAX_DECLARATION_CHECK_STEPS, instructions = MAX_DECLARATION_PATTERN_INSTRUCTIONS } = limits
  const patterns = new Map<string, PatternTest>()
  const known = new Map<Rules, Rules>()
  let instructionsLeft = instructions
  const compileOnce = (source: string): PatternTest => {
    const before = patterns.get(source)
    if (before !== undefined) return before
    if (instructionsLeft < 0) return TOO_DEAR
    const test = compilePattern(source)
    instructionsLeft -= test.compileCost
    patterns.set(source, test)
    return test
  }
  return {
    stepsLeft: steps,
    within(rules) {
      const shared = known.get(rules) ?? {
        ...rules,
        compilePattern: compileOnce,
        built: new Map<Field, ValueCheck>(),
      }
      known.set(rules, shared)
      return shared
    },
  }
}

/** Replaces a pattern that is not compiled any more: matching it takes more steps than any limit allows. */
const TOO_DEAR: PatternTest = Object.assign(() => false, {
  instructions: Number.MAX_SAFE_INTEGER,
  compileCost: 0,
  maxTextLength: Number.POSITIVE_INFINITY,
})
