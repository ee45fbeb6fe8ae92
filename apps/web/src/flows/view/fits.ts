import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import type { Grade } from '@farebox/protocol/compatibility/compatible'
import { startGrading } from './grade-types.ts'

/** A port that another one can be joined to. */
export interface Fit {
  readonly port: PortRef
  readonly grade: Exclude<Grade, 'impossible'>
  readonly reason: string
}

/** Outputs that can feed an input, in the order of the run: none that waits for the input itself. */
export function sourcesFor(graph: Graph, to: PortRef): readonly Fit[] {
  const input = graph.inputsOf(to.step).find(({ name }) => name === to.port)
  if (input === undefined) return []
  const behind = stepsBehind(graph, to.step)
  const gradeTypes = startGrading()
  return [FLOW_INPUT, ...graph.order, ...graph.circular]
    .filter(id => !behind.has(id))
    .flatMap(id =>
      graph.outputsOf(id).flatMap(output => {
        const { grade, reason } = gradeTypes(output.type, input.type)
        return grade === 'impossible' ? [] : [{ port: { step: id, port: output.name }, grade, reason }]
      }),
    )
}

/** Inputs that an output can feed, in the order of the run: none of a step that the output itself waits for. */
export function targetsFor(graph: Graph, from: PortRef): readonly Fit[] {
  const output = graph.outputsOf(from.step).find(({ name }) => name === from.port)
  if (output === undefined) return []
  const before = stepsBefore(graph, from.step)
  const gradeTypes = startGrading()
  return [...graph.order, ...graph.circular, FLOW_OUTPUT]
    .filter(id => !before.has(id))
    .flatMap(id =>
      graph.inputsOf(id).flatMap(input => {
        const { grade, reason } = gradeTypes(output.type, input.type)
        return grade === 'impossible' ? [] : [{ port: { step: id, port: input.name }, grade, reason }]
      }),
    )
}

/** The step itself and all that wait for it. */
function stepsBehind(graph: Graph, id: string): ReadonlySet<string> {
  const found = new Set([id])
  for (const step of found) for (const target of graph.targetsOf(step)) found.add(target)
  return found
}

/** The step itself and all that it waits for. */
function stepsBefore(graph: Graph, id: string): ReadonlySet<string> {
  const found = new Set([id])
  for (const step of found) for (const source of graph.sourcesOf(step)) found.add(source)
  return found
}
