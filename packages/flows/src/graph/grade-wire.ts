import { compatible, type Compatibility } from '@farebox/protocol/compatibility/compatible'
import type { Field } from '@farebox/protocol/fields/field'
import type { CheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import type { PortType } from './field-of.ts'

/** Grades how well the values of an output fit an input, with a reason for people. */
export type GradeTypes = (output: PortType, input: PortType) => Compatibility

/** The maximum length of a reason: external schemas may have a thousand names of 256 characters each. */
const MAX_REASON_CHARACTERS = 500

/**
 * Creates the grading function of one check, which compares each pair of types once. An external flow may contain enums,
 * patterns and objects that take minutes to compare: once the budget is used up, further pairs are graded `lossy`, which
 * causes a warning.
 */
export function createGrader(budget: CheckBudget): GradeTypes {
  const known = new Map<Field, Map<Field, Compatibility>>()
  return (output, input) => {
    if (input === 'any') return { grade: 'same', reason: 'passes as it is' }
    if (output === 'any')
      return { grade: 'lossy', reason: 'can fail at run time: what comes is only known when it runs' }
    const found = known.get(output)?.get(input)
    if (found !== undefined) return found
    const graded = shorten(compatible(output, input, budget))
    known.set(output, (known.get(output) ?? new Map<Field, Compatibility>()).set(input, graded))
    return graded
  }
}

function shorten(graded: Compatibility): Compatibility {
  const { grade, reason } = graded
  return reason.length <= MAX_REASON_CHARACTERS
    ? graded
    : { grade, reason: `${reason.slice(0, MAX_REASON_CHARACTERS - 1)}…` }
}
