import { compilePattern, type PatternTest } from '../fields/pattern.ts'
import type { Field } from '../fields/field.ts'
import type { ValueCheck } from '../fields/value-rules.ts'
import {
  MAX_DECLARATION_CHECK_STEPS,
  MAX_DECLARATION_PATTERN_INSTRUCTIONS,
  MAX_DECLARATION_PROBLEMS,
} from '../limits.ts'
import type { Problem } from '../problems/problem.ts'

/** The state of the check of one declaration across its fields, with its remaining budget (D42). */
export interface DeclarationCheck {
  /** Below zero: the check is over. */
  stepsLeft: number
  /** Remaining instructions for patterns to be compiled. */
  instructionsLeft: number
  /** Zero: further problems are not reported. */
  problemsLeft: number
  /** Errors that do not refuse the declaration. */
  readonly warnings: Problem[]
  /** Compiles each pattern once for all its uses within the check. */
  readonly compilePattern: (source: string) => PatternTest
  readonly builtInputs: Map<Field, ValueCheck>
  readonly builtOutputs: Map<Field, ValueCheck>
}

/** Starts a check. */
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
