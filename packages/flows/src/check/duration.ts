import { MAX_TIMEOUT_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { Graph } from '../graph/graph.ts'
import type { Step } from '../document/flow.ts'

/** How long a run may take at most. */
export interface FlowDuration {
  /** Along the longest way, every agent taking all of its time; without what people and given times take. */
  readonly seconds: number
  /** Ids of the steps on that way. */
  readonly path: readonly string[]
  /** Whether it also waits for a person, or for a time that is only known when it runs. */
  readonly waits_for: readonly ('person' | 'time')[]
}

/** The worst case along the critical path. Steps beside one another run at once. */
export function timeFlow(graph: Graph): FlowDuration {
  const ends = endsOfSteps(graph)
  let last: string | undefined
  for (const [id, { seconds }] of ends) {
    if (last === undefined || seconds > (ends.get(last)?.seconds ?? 0)) last = id
  }
  const path: string[] = []
  for (let id = last; id !== undefined; id = ends.get(id)?.before) path.unshift(id)
  const steps = Object.values(graph.flow.steps)
  const waits: ('person' | 'time')[] = []
  if (steps.some(({ kind }) => kind === 'approval')) waits.push('person')
  if (steps.some(step => step.kind === 'wait' && step.seconds === undefined)) waits.push('time')
  return { seconds: last === undefined ? 0 : (ends.get(last)?.seconds ?? 0), path, waits_for: waits }
}

/** When a step is over at the latest, and the source that it waits for until then. */
export interface StepEnd {
  /** From the start of the run. */
  readonly seconds: number
  readonly before: string | undefined
}

/** The end of every step, by id, if all before it take all of their time. */
export function endsOfSteps(graph: Graph): ReadonlyMap<string, StepEnd> {
  const ends = new Map<string, StepEnd>()
  for (const id of graph.order) {
    const step = graph.flow.steps[id]
    if (step === undefined) continue
    let [begin, before]: [number, string | undefined] = [0, undefined]
    for (const source of graph.sourcesOf(id)) {
      const { seconds = 0 } = ends.get(source) ?? {}
      if (before === undefined || seconds > begin) [begin, before] = [seconds, source]
    }
    ends.set(id, { seconds: begin + secondsOf(step), before })
  }
  return ends
}

function secondsOf(step: Step): number {
  if (step.kind === 'job') return step.pinned.max_deadline_seconds + MAX_TIMEOUT_MARGIN_SECONDS
  return step.kind === 'wait' ? (step.seconds ?? 0) : 0
}
