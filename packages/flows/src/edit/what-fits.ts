import type { Grade } from '@farebox/protocol/compatibility/compatible'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { startCheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import type { PortRef } from '../document/flow.ts'
import { isAlike, plainName } from '../document/plain-name.ts'
import type { PortType } from '../graph/field-of.ts'
import { createGrader } from '../graph/grade-wire.ts'
import type { Graph } from '../graph/graph.ts'

/** A field that a port can be wired to, with its grade. */
export interface Fit {
  /** Name of the field. */
  readonly name: string
  readonly grade: Exclude<Grade, 'impossible'>
  /** A text for people: `passes as it is`. */
  readonly reason: string
}

const GRADES = ['same', 'safe', 'lossy'] as const

/**
 * The fields that a port can be wired to, best first: by grade, then fields with a similar name, then required fields, then
 * in their order. For a canvas, while a person draws a wire or searches for a step to add.
 *
 * @param port an output of a step, with `fields` as inputs; or an input, with `fields` as outputs
 * @returns an empty list for a missing port
 * @example
 * ```ts
 * import type { FieldMap } from '@farebox/protocol/fields/field'
 * import type { Graph } from '@farebox/flows/graph/graph'
 * import { whatFits } from '@farebox/flows/edit/what-fits'
 *
 * export function inputsFor(graph: Graph, inputs: FieldMap): readonly string[] {
 *   return whatFits(graph, { output: { step: 'summary', port: 'links' } }, inputs).map(({ name }) => name)
 * }
 * ```
 */
export function whatFits(
  graph: Graph,
  port: { readonly output: PortRef } | { readonly input: PortRef },
  fields: FieldMap,
): readonly Fit[] {
  const isOutput = 'output' in port
  const end = isOutput ? port.output : port.input
  const type = typeOf(isOutput ? graph.outputsOf(end.step) : graph.inputsOf(end.step), end)
  if (type === undefined) return []
  const gradeTypes = createGrader(startCheckBudget())
  const name = plainName(end.port)
  return Object.entries(fields)
    .flatMap(([candidate, field]) => {
      const { grade, reason } = isOutput ? gradeTypes(type, field) : gradeTypes(field, type)
      const isNamed = isAlike(plainName(candidate), name)
      return grade === 'impossible'
        ? []
        : [{ fit: { name: candidate, grade, reason }, isNamed, isRequired: field.required === true }]
    })
    .sort(
      (one, other) =>
        GRADES.indexOf(one.fit.grade) - GRADES.indexOf(other.fit.grade) ||
        Number(other.isNamed) - Number(one.isNamed) ||
        Number(other.isRequired) - Number(one.isRequired),
    )
    .map(({ fit }) => fit)
}

function typeOf(
  ports: readonly { readonly name: string; readonly type: PortType }[],
  { port }: PortRef,
): PortType | undefined {
  return ports.find(({ name }) => name === port)?.type
}
