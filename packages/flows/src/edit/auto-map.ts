import { startCheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import type { PortRef } from '../document/flow.ts'
import { isAlike, plainName } from '../document/plain-name.ts'
import { createGrader, type GradeTypes } from '../graph/grade-wire.ts'
import type { Graph } from '../graph/graph.ts'
import type { InputPort, OutputPort } from '../graph/ports.ts'
import { stepsBefore } from '../graph/steps-before.ts'
import type { Edit } from './edit.ts'

/**
 * Wires for the unfed inputs of a step, from the flow's input and the steps that do not depend on it. An output of the same
 * name comes first, then one of a similar name, then the nearest one. Only required inputs are fed by type alone, and an
 * output feeds at most one of them. Lossy wires are only proposed for the same name.
 *
 * @returns one edit for each input with a source
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { applyEdits } from '@farebox/flows/edit/apply-edit'
 * import { autoMap } from '@farebox/flows/edit/auto-map'
 * import { buildGraph } from '@farebox/flows/graph/graph'
 *
 * export function joinUp(flow: Flow, step: string): Flow {
 *   return applyEdits(flow, autoMap(buildGraph(flow), step))
 * }
 * ```
 */
export function autoMap(graph: Graph, step: string): readonly Edit[] {
  const constants = graph.flow.steps[step]?.constants ?? {}
  const open = graph
    .inputsOf(step)
    .filter(({ name }) => graph.wireTo({ step, port: name }) === undefined && !Object.hasOwn(constants, name))
  const sources = sourcesBefore(graph, step)
  const gradeTypes = createGrader(startCheckBudget())
  const found = new Map<InputPort, Source>()
  for (const input of open) {
    const source = findNamed(gradeTypes, sources, input)
    if (source !== undefined) found.set(input, source)
  }
  const used = new Set(found.values())
  for (const input of open) {
    if (!input.required || found.has(input)) continue
    const source = sources.find(
      one => !used.has(one) && one.output.always && isLossless(gradeTypes, one, input),
    )
    if (source === undefined) continue
    found.set(input, source)
    used.add(source)
  }
  return open.flatMap((input): Edit[] => {
    const source = found.get(input)
    return source === undefined
      ? []
      : [{ edit: 'connect', from: source.from, to: { step, port: input.name } }]
  })
}

interface Source {
  readonly from: PortRef
  readonly output: OutputPort
  readonly name: string
}

/** The sources of a step, nearest first. */
function sourcesBefore(graph: Graph, step: string): readonly Source[] {
  return stepsBefore(graph, step).flatMap(id =>
    graph.outputsOf(id).map(output => ({
      from: { step: id, port: output.name },
      output,
      name: plainName(output.name),
    })),
  )
}

function findNamed(gradeTypes: GradeTypes, sources: readonly Source[], input: InputPort): Source | undefined {
  const name = plainName(input.name)
  const same = sources.filter(one => one.name === name)
  return (
    same.find(one => isLossless(gradeTypes, one, input)) ??
    same.find(({ output }) => gradeTypes(output.type, input.type).grade === 'lossy') ??
    sources.find(one => isAlike(one.name, name) && isLossless(gradeTypes, one, input))
  )
}

function isLossless(gradeTypes: GradeTypes, { output }: Source, input: InputPort): boolean {
  const { grade } = gradeTypes(output.type, input.type)
  return grade === 'same' || grade === 'safe'
}
