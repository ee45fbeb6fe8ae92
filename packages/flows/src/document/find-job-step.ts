import type { Flow, JobStep } from './flow.ts'
import { jobKey, readJobKey } from './job-key.ts'

/** The paid step of a job's key; undefined when the flow can have no such job. */
export function findJobStep(flow: Pick<Flow, 'steps'>, key: string): JobStep | undefined {
  const named = readJobKey(key)
  if (named === undefined) return undefined
  const step = Object.hasOwn(flow.steps, named.step) ? flow.steps[named.step] : undefined
  if (step?.kind !== 'job' || named.index >= (step.map?.most ?? 1)) return undefined
  return jobKey(named.step, named.index, step.map !== undefined) === key ? step : undefined
}
