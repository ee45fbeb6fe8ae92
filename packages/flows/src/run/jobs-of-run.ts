import { findJobStep } from '../document/find-job-step.ts'
import type { JobStep } from '../document/flow.ts'
import type { Graph } from '../graph/graph.ts'
import { readJobKey, type JobState, type Run, type StepState } from './run-state.ts'

/** A job of a run by its key. */
export interface FoundJob {
  readonly id: string
  readonly index: number
  readonly step: JobStep
  /** Undefined: the step has not started. */
  readonly state: StepState | undefined
  /** Undefined: the step has not reached the job, is past it, or its list has no such item. */
  readonly job: JobState | undefined
}

/** The job of a key; undefined when the flow can have no such job. */
export function findJobOfRun(graph: Graph, run: Run, key: string): FoundJob | undefined {
  const step = findJobStep(graph.flow, key)
  const named = readJobKey(key)
  if (step === undefined || named === undefined) return undefined
  const state = Object.hasOwn(run.steps, named.step) ? run.steps[named.step] : undefined
  const job = state?.state === 'ordering' ? state.jobs[named.index] : undefined
  return { id: named.step, index: named.index, step, state, job }
}

/** The run with another state of one of its jobs. */
export function setJob(graph: Graph, run: Run, key: string, job: JobState): Run {
  const place = findJobOfRun(graph, run, key)
  if (place?.state?.state !== 'ordering') return run
  const jobs = place.state.jobs.map((one, index) => (index === place.index ? job : one))
  return { ...run, steps: { ...run.steps, [place.id]: { state: 'ordering', jobs } } }
}
