import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { stepsBehind } from '@farebox/flows/internal/graph/steps-before'
import type { Grade } from '@farebox/protocol/compatibility/compatible'
import { findInput, findOutput } from '@farebox/flows/internal/graph/find-port'
import { startGrading } from './grade-types.ts'

/** A port that another one can be joined to. */
export interface FittingPort {
  readonly port: PortRef
  readonly grade: Exclude<Grade, 'impossible'>
  readonly reason: string
}

/** Which side of a step a port is at. */
export type PortSide = 'in' | 'out'

/** The ports that a wire from or to a port can be joined to. */
export function fitsFor(graph: Graph, port: PortRef, side: PortSide): readonly FittingPort[] {
  return side === 'out' ? targetsFor(graph, port) : sourcesFor(graph, port)
}

/**
 * The port of a step that a wire is joined to when it is dropped on the step: the best fit, of inputs one without a wire.
 *
 * @param side where the wire begins: at an input, it leads to an output
 */
export function bestFitAt(
  graph: Graph,
  step: string,
  side: PortSide,
  fits: readonly FittingPort[],
): FittingPort | undefined {
  const open = fits.filter(
    ({ port }) => port.step === step && (side === 'in' || graph.wireTo(port) === undefined),
  )
  return BEST_GRADES.flatMap(grade => open.filter(fit => fit.grade === grade)).at(0)
}

/** The ends of a wire between a port at one side and another port. */
export function wireEnds(
  port: PortRef,
  side: PortSide,
  other: PortRef,
): readonly [from: PortRef, to: PortRef] {
  return side === 'out' ? [port, other] : [other, port]
}

/** A port as one word, by which it is found again. */
export function keyOfPort({ step, port }: PortRef): string {
  return `${step} ${port}`
}

/** Whether two references lead to the same port. */
export function isSamePort(one: PortRef, other: PortRef): boolean {
  return one.step === other.step && one.port === other.port
}

/** Grades of ports that can be joined, the best first. */
export const BEST_GRADES = ['same', 'safe', 'lossy'] as const

/** Outputs that can feed an input, in the order of the run: none that waits for the input itself. */
export function sourcesFor(graph: Graph, to: PortRef): readonly FittingPort[] {
  const input = findInput(graph, to)
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
function targetsFor(graph: Graph, from: PortRef): readonly FittingPort[] {
  const output = findOutput(graph, from)
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

/** The step itself and all that it waits for. */
function stepsBefore(graph: Graph, id: string): ReadonlySet<string> {
  const found = new Set([id])
  for (const step of found) for (const source of graph.sourcesOf(step)) found.add(source)
  return found
}
