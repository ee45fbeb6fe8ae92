import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { createGrader, type GradeTypes } from '@farebox/flows/internal/graph/grade-wire'
import type { Compatibility } from '@farebox/protocol/compatibility/compatible'
import { startCheckBudget } from '@farebox/protocol/internal/fields/check-budget'

/** Grades pairs of types, each pair once, within the cost limit of one check. */
export function startGrading(): GradeTypes {
  return createGrader(startCheckBudget())
}

/** How well the type of an output fits the type of an input. */
export function gradeTypes(output: PortType, input: PortType): Compatibility {
  return startGrading()(output, input)
}
