import type { Step } from '@farebox/flows/document/flow'
import type { RunProgress, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import type { StopMark } from '../route-map/rail.tsx'
import { isChargedForNothing, jobWords, type JobWords } from './job-words.ts'

/** The look of a step's stop, and the text next to it. */
export interface StopView {
  readonly mark: StopMark
  readonly words: JobWords
}

/**
 * The look of a step of a run.
 *
 * @param step the step in the flow; undefined when the flow has none with that id
 */
export function viewStop(
  step: Step | undefined,
  state: RunStepAnswer | undefined,
  status: RunProgress['status'],
): StopView {
  const shape = step?.kind === 'job' ? 'round' : 'square'
  return { mark: { shape, state: markOf(state, status) }, words: wordsOf(step, state) }
}

function markOf(state: RunStepAnswer | undefined, status: RunProgress['status']): StopMark['state'] {
  switch (state?.state) {
    case undefined:
    case 'waiting':
      return 'ahead'
    case 'skipped':
      return 'out'
    case 'done':
      return 'passed'
    case 'failed':
      return 'failed'
    case 'asking':
    case 'sleeping':
      return status === 'cancelled' ? 'ahead' : 'here'
    case 'ordering': {
      const isAtWork = state.jobs.some(job => job.state === 'sent' || job.state === 'quoting')
      if (isAtWork) return 'here'
      if (state.jobs.some(job => job.state === 'failed' || isChargedForNothing(job))) return 'failed'
      return status === 'cancelled' || status === 'paused' ? 'ahead' : 'here'
    }
  }
}

function wordsOf(step: Step | undefined, state: RunStepAnswer | undefined): JobWords {
  switch (state?.state) {
    case undefined:
    case 'waiting':
      return { words: 'Not reached', tone: 'plain' }
    case 'skipped':
      return { words: 'Skipped because this run does not reach it', tone: 'plain' }
    case 'asking':
      return { words: 'Waiting for your approval', tone: 'plain' }
    case 'sleeping':
      return { words: 'Waiting', tone: 'plain', ...(state.until !== null && { until: state.until }) }
    case 'failed':
      return {
        words: step?.kind === 'job' ? 'Not sent, not charged' : 'Failed',
        tone: 'refused',
        sign: 'cross',
      }
    case 'done':
      return step?.kind === 'job' ? jobsWords(state) : { words: FREE[step?.kind ?? 'pick'], tone: 'plain' }
    case 'ordering':
      return jobsWords(state)
  }
}

/** The state of a step's only job; for several jobs, how many are in which state. */
function jobsWords({ jobs, state }: RunStepAnswer): JobWords {
  const [first] = jobs
  if (first === undefined)
    return {
      words: state === 'done' ? 'The list was empty, so no jobs were ordered' : 'Waiting',
      tone: 'plain',
    }
  if (jobs.length === 1 && !first.key.includes('#')) return jobWords(first)
  const done = jobs.filter(job => job.state === 'done').length
  const failed = jobs.filter(job => job.state === 'failed' || isChargedForNothing(job)).length
  const words = `${done} of ${jobs.length} delivered and paid`
  if (failed > 0) return { words: `${words}, ${failed} not`, tone: 'refused', sign: 'cross' }
  return done === jobs.length ? { words, tone: 'paid', sign: 'check' } : { words, tone: 'plain' }
}

const FREE: { readonly [kind in Exclude<Step['kind'], 'job'>]: string } = {
  rename: 'Done by the platform',
  pick: 'Done by the platform',
  template: 'Done by the platform',
  'to-number': 'Done by the platform',
  join: 'Done by the platform',
  split: 'Done by the platform',
  constant: 'Fixed value',
  default: 'Done by the platform',
  first: 'Done by the platform',
  branch: 'Decided by the platform',
  approval: 'Answered',
  wait: 'Waited',
}
