import { MAX_DECLARATION_CHECK_STEPS, MAX_DECLARATION_PATTERN_INSTRUCTIONS } from '../limits.ts'
import type { Field } from './field.ts'
import { compilePattern, type PatternTest } from './pattern.ts'
import type { Rules, ValueCheck } from './value-rules.ts'

/** What a group of checks, samples and comparisons may cost together, and what it remembers from one to the next (D42). */
export interface CheckBudget {
  /** Below zero: nothing more is looked at. */
  stepsLeft: number
  /** The rules, under which a pattern is compiled once and the check of a field is built once within the group. */
  within(rules: Rules): Rules
}

/**
 * A budget of which nothing is spent.
 *
 * @param limits.steps what checks may cost
 * @param limits.instructions what all patterns that are compiled may come to
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

/** Stands for a pattern that is not compiled any more: to match it takes more steps than there can be. */
const TOO_DEAR: PatternTest = Object.assign(() => false, {
  instructions: Number.MAX_SAFE_INTEGER,
  compileCost: 0,
  maxTextLength: Number.POSITIVE_INFINITY,
})
