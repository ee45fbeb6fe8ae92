import { compatible, type Compatibility } from '@farebox/protocol/compatibility/compatible'
import type { Field } from '@farebox/protocol/fields/field'
import type { CheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import type { PortType } from './field-of.ts'

/** How what a port gives suits what another takes, and why, for people. */
export type GradeTypes = (output: PortType, input: PortType) => Compatibility

/** Characters of a reason: schemas from outside may have a thousand names of 256 each. */
const MAX_REASON_CHARACTERS = 500

/**
 * Makes the grades of one check, of which each pair of types is compared once. A flow from outside may have enums,
 * patterns and objects that take minutes to compare: when the budget is spent, what is left is called lossy, which is
 * enough to warn.
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
