import { compilePattern, type PatternTest } from '../fields/pattern.ts'
import type { Field } from '../fields/field.ts'
import type { ValueCheck } from '../fields/value-rules.ts'
import {
  MAX_DECLARATION_CHECK_STEPS,
  MAX_DECLARATION_PATTERN_INSTRUCTIONS,
  MAX_DECLARATION_PROBLEMS,
} from '../limits.ts'
import type { Problem } from '../problems/problem.ts'

/** What the check of one declaration remembers from field to field, and what the rest of it may still cost (D42). */
export interface DeclarationCheck {
  /** Below zero: the check is over. */
  stepsLeft: number
  /** For patterns that are still to be compiled. */
  instructionsLeft: number
  /** Zero: what is found from now on is not reported. */
  problemsLeft: number
  /** What is not right and stops nobody. */
  readonly warnings: Problem[]
  /** A pattern is compiled once for all its uses within the check. */
  readonly compilePattern: (source: string) => PatternTest
  readonly builtInputs: Map<Field, ValueCheck>
  readonly builtOutputs: Map<Field, ValueCheck>
}

/** A check that has not begun. */
export function startDeclarationCheck(): DeclarationCheck {
  const patterns = new Map<string, PatternTest>()
  return {
    stepsLeft: MAX_DECLARATION_CHECK_STEPS,
    instructionsLeft: MAX_DECLARATION_PATTERN_INSTRUCTIONS,
    problemsLeft: MAX_DECLARATION_PROBLEMS,
    warnings: [],
    compilePattern(source) {
      const test = patterns.get(source) ?? compilePattern(source)
      patterns.set(source, test)
      return test
    },
    builtInputs: new Map(),
    builtOutputs: new Map(),
  }
}
