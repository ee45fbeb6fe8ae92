import { FLOW_INPUT, FLOW_OUTPUT, type PortRef } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { stepsBehind } from '@farebox/flows/internal/graph/steps-before'
import type { Grade } from '@farebox/protocol/compatibility/compatible'
import { findInput, findOutput } from '@farebox/flows/internal/graph/find-port'
import { startGrading } from './grade-types.ts'

/** A port that another port can be joined to. */
export interface FittingPort {
  readonly port: PortRef
  readonly grade: Exclude<Grade, 'impossible'>
  readonly reason: string
}

/** The side of a step on which a port is. */
export type PortSide = 'in' | 'out'

/** The ports that a wire from or to a port can be joined to. */
export function fitsFor(graph: Graph, port: PortRef, side: PortSide): readonly FittingPort[] {
  return side === 'out' ? targetsFor(graph, port) : sourcesFor(graph, port)
}

/**
 * The port of a step that a wire is joined to when it is dropped on the step: the best fit, preferring inputs without a
 * wire.
 *
 * @param side the side at which the wire begins; a wire from an input leads to an output
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

/** The two ends of a wire between a port at one side and another port. */
export function wireEnds(
  port: PortRef,
  side: PortSide,
  other: PortRef,
): readonly [from: PortRef, to: PortRef] {
  return side === 'out' ? [port, other] : [other, port]
}

/** A port as one string, for use as a key. */
export function keyOfPort({ step, port }: PortRef): string {
  return `${step} ${port}`
}

/** Whether two references lead to the same port. */
export function isSamePort(one: PortRef, other: PortRef): boolean {
  return one.step === other.step && one.port === other.port
}

/** The grades of ports that can be joined, the best first. */
export const BEST_GRADES = ['same', 'safe', 'lossy'] as const

/** The outputs that can feed an input, in the order of the run; outputs of steps that wait for the input are left out. */
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

/** The inputs that an output can feed, in the order of the run; inputs of steps that the output waits for are left out. */
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

/** The step and all steps that it waits for. */
function stepsBefore(graph: Graph, id: string): ReadonlySet<string> {
  const found = new Set([id])
  for (const step of found) for (const source of graph.sourcesOf(step)) found.add(source)
  return found
}
