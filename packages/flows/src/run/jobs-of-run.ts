import { findJobStep } from '../document/find-job-step.ts'
import type { JobStep } from '../document/flow.ts'
import type { Graph } from '../graph/graph.ts'
import { readJobKey, type JobState, type Run, type StepState } from './run-state.ts'

/** A job of a run by its key. */
export interface FoundJob {
  readonly id: string
  readonly index: number
  readonly step: JobStep
  /** Undefined: the step has not begun. */
  readonly state: StepState | undefined
  /** Undefined: the step has not come to it, is past it, or its list has no such item. */
  readonly job: JobState | undefined
}

/** The job that a key names; undefined where the flow can have none of that name. */
export function findJobOfRun(graph: Graph, run: Run, key: string): FoundJob | undefined {
  const step = findJobStep(graph.flow, key)
  const named = readJobKey(key)
  if (step === undefined || named === undefined) return undefined
  const state = Object.hasOwn(run.steps, named.step) ? run.steps[named.step] : undefined
  const job = state?.state === 'ordering' ? state.jobs[named.index] : undefined
  return { id: named.step, index: named.index, step, state, job }
}

/** The run with one of its jobs in another state. */
export function setJob(graph: Graph, run: Run, key: string, job: JobState): Run {
  const place = findJobOfRun(graph, run, key)
  if (place?.state?.state !== 'ordering') return run
  const jobs = place.state.jobs.map((one, index) => (index === place.index ? job : one))
  return { ...run, steps: { ...run.steps, [place.id]: { state: 'ordering', jobs } } }
}
