import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { createGrader, type GradeTypes } from '@farebox/flows/internal/graph/grade-wire'
import type { Compatibility } from '@farebox/protocol/compatibility/compatible'
import { startCheckBudget } from '@farebox/protocol/internal/fields/check-budget'

/** Grades many pairs of types within what one check may cost, each pair once. */
export function startGrading(): GradeTypes {
  return createGrader(startCheckBudget())
}

/** How what a port gives suits what another takes. */
export function gradeTypes(output: PortType, input: PortType): Compatibility {
  return startGrading()(output, input)
}
