import { MAX_TIMEOUT_MARGIN_SECONDS } from '@farebox/protocol/limits'
import type { Graph } from '../graph/graph.ts'
import type { Step } from '../document/flow.ts'

/** The longest possible duration of a run. */
export interface FlowDuration {
  /** Along the longest path, if every agent takes all of its time; without the time of people and of waits. */
  readonly seconds: number
  /** Ids of the steps on that path. */
  readonly path: readonly string[]
  /** Does the run also wait for a person, or for a time that is only known when it runs? */
  readonly waits_for: readonly ('person' | 'time')[]
}

/** The worst case along the critical path. Independent steps run at the same time. */
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

/** The latest end of a step, and the source that it waits for until then. */
export interface StepEnd {
  /** Seconds from the start of the run. */
  readonly seconds: number
  readonly before: string | undefined
}

/** The end of every step, by id, if all steps before it take all of their time. */
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
