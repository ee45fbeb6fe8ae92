import type { Grade } from '@farebox/protocol/compatibility/compatible'
import { FLOW_INPUT, FLOW_OUTPUT, type Flow, type PortRef, type Wire } from '../document/flow.ts'
import { freeStepId } from '../edit/apply-edit.ts'
import type { Edit } from '../edit/edit.ts'
import type { Graph } from '../graph/graph.ts'
import type { PortType } from '../graph/field-of.ts'
import { find, type LazyFinding, type Repair } from './finding.ts'
import type { Guesses, Inspection } from './inspection.ts'
import { nameStep } from '../document/name-step.ts'
import { findInput, findOutput } from '../graph/find-port.ts'
import { narrowInput } from './narrow-input.ts'
import { proposeAdapters } from './propose-adapters.ts'

/** A wire with its grade, for display. */
export interface GradedWire {
  readonly wire: Wire
  /** `broken`: one of its ends does not exist. */
  readonly grade: Grade | 'broken'
  readonly reason: string
}

/** Grades every wire, in the order of the document. */
export function gradeWires({ graph, gradeTypes, guesses }: Inspection): readonly GradedWire[] {
  return graph.flow.wires.map(wire => {
    const ends = endsOf(graph, guesses, wire)
    if (typeof ends === 'string') return { wire, grade: 'broken', reason: ends }
    return { wire, ...gradeTypes(ends.output, ends.input) }
  })
}

/** Findings about the wires. */
export function checkWires({ graph, guesses }: Inspection, graded: readonly GradedWire[]): LazyFinding[] {
  const seen = new Set<string>()
  return graded.flatMap(({ wire, grade, reason }): LazyFinding[] => {
    const { from, to } = wire
    const place = { step: to.step, port: to.port }
    const key = `${to.step} ${to.port}`
    const isSecond = seen.has(key)
    seen.add(key)
    const step = Object.hasOwn(graph.flow.steps, to.step) ? graph.flow.steps[to.step] : undefined
    if (isSecond)
      return [find('error', 'second-wire', place, `Two wires feed “${to.port}”. Put a “First of” before it.`)]
    if (grade !== 'broken' && step?.constants !== undefined && Object.hasOwn(step.constants, to.port))
      return [
        find('error', 'wire-and-constant', place, `“${to.port}” has both a wire and a value.`, () => [
          { label: 'Keep the wire', edits: [{ edit: 'clear-constant', to }] },
        ]),
      ]
    switch (grade) {
      case 'same':
      case 'safe':
        return []
      case 'broken':
        return [find('error', 'broken', place, reason, () => repairBroken(graph, guesses, wire))]
      case 'lossy':
      case 'impossible': {
        const what = `“${from.port}” of ${nameStep(graph.flow, from.step)} into “${to.port}”: ${reason}.${whatThen(graph, wire)}`
        return [
          find(grade === 'lossy' ? 'warning' : 'error', grade, place, what, () => [
            ...narrowInput(graph, guesses, wire),
            ...repairByAdapter(graph, guesses, wire),
            ...(grade === 'lossy' ? [] : [takeAway(wire)]),
          ]),
        ]
      }
    }
  })
}

/** Explains that a text that is too long stops the run, and that no adapter shortens one. */
function whatThen(graph: Graph, { from, to }: Wire): string {
  const type = findInput(graph, to)?.type ?? 'any'
  if (from.step === FLOW_INPUT || type === 'any' || type.type !== 'string' || type.maxLength === undefined)
    return ''
  return ' A longer text stops the run there: that step is not sent and not charged. No free adapter shortens text.'
}

function endsOf(
  graph: Graph,
  guesses: Guesses,
  { from, to }: Wire,
): { readonly output: PortType; readonly input: PortType } | string {
  const { flow } = graph
  const output = findOutput(graph, from)
  const input = findInput(graph, to)
  if (output === undefined)
    return missing(flow, guesses, from, ['gives', namesOf(graph.outputsOf(from.step))])
  if (input === undefined) return missing(flow, guesses, to, ['takes', namesOf(graph.inputsOf(to.step))])
  return { output: output.type, input: input.type }
}

function missing(
  flow: Flow,
  guesses: Guesses,
  end: PortRef,
  [verb, names]: readonly ['gives' | 'takes', readonly string[]],
): string {
  if (end.step !== FLOW_INPUT && end.step !== FLOW_OUTPUT && !Object.hasOwn(flow.steps, end.step))
    return `The step “${end.step}” is gone.`
  const meant = guesses.nearest(end.port, names)
  const gone = `${nameStep(flow, end.step)} ${verb} no “${end.port}”`
  return meant === undefined ? `${gone}.` : `${gone}. Its new name may be “${meant}”.`
}

/** Repairs: the same wire to the port with the nearest name, if that fits; or no wire. */
function repairBroken(graph: Graph, guesses: Guesses, wire: Wire): Repair[] {
  const { from, to } = wire
  const source = guesses.nearest(from.port, namesOf(graph.outputsOf(from.step)))
  const target = guesses.nearest(to.port, namesOf(graph.inputsOf(to.step)))
  const isSourceThere = graph.outputsOf(from.step).some(({ name }) => name === from.port)
  const isTargetThere = graph.inputsOf(to.step).some(({ name }) => name === to.port)
  const meant: Wire = {
    from: isSourceThere || source === undefined ? from : { ...from, port: source },
    to: isTargetThere || target === undefined ? to : { ...to, port: target },
  }
  const ends = endsOf(graph, guesses, meant)
  const fits = typeof ends !== 'string' && guesses.gradeTypes(ends.output, ends.input).grade !== 'impossible'
  const edits: Edit[] = [
    { edit: 'disconnect', to },
    { edit: 'connect', from: meant.from, to: meant.to },
  ]
  const moved = isSourceThere ? meant.to.port : meant.from.port
  return [...(fits ? [{ label: `Connect it to “${moved}”`, edits }] : []), takeAway(wire)]
}

function repairByAdapter(graph: Graph, guesses: Guesses, wire: Wire): Repair[] {
  const ends = endsOf(graph, guesses, wire)
  if (typeof ends === 'string') return []
  return proposeAdapters(guesses, ends.output, ends.input).map(({ label, step, takes, gives }): Repair => {
    const id = freeStepId(graph.flow, step.kind)
    return { label, edits: [{ edit: 'insert-step', id, step, to: wire.to, takes, gives }] }
  })
}

function takeAway({ to }: Wire): Repair {
  return { label: 'Remove the wire', edits: [{ edit: 'disconnect', to }] }
}

function namesOf(ports: readonly { readonly name: string }[]): readonly string[] {
  return ports.map(({ name }) => name)
}
