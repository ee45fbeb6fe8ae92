import type { Score } from '../battery.ts'
import { DEADLINE_SECONDS, type CalledJob } from './load.ts'
import type { Registered } from './registered-agents.ts'

const LEAST_SHARE = 0.98

export function scoreRegistered({ listed, checked, offline }: Registered, agents: number): Score {
  return {
    test: 'agents registered on the chain',
    reached: `${listed} listed, ${checked} checked, ${offline} offline`,
    target: `${agents} listed and checked, 0 offline`,
    isMet: listed === agents && checked === agents && offline === 0,
  }
}

/** What callers got by the deadline, who repeat as our client does; those that did not are printed. */
export function scoreCompleted(jobs: readonly CalledJob[]): Score {
  const isInTime = ({ isCompleted, startedMs, endedMs }: CalledJob): boolean =>
    isCompleted && endedMs - startedMs <= DEADLINE_SECONDS * 1_000
  const missed = jobs.filter(job => !isInTime(job))
  for (const { jobId, by, startedMs, endedMs, reason } of missed)
    console.log(
      `${new Date(startedMs).toISOString()} ${by} ${jobId} after ${endedMs - startedMs} ms: ${reason || 'late'}`,
    )
  const countBy = (place: CalledJob['by']): string => {
    const of = jobs.filter(({ by }) => by === place)
    return `${of.filter(isInTime).length.toLocaleString('en-US')} of ${of.length.toLocaleString('en-US')}`
  }
  const reached = 1 - missed.length / jobs.length
  return {
    test: 'jobs whose deadline is a minute away, completed by then',
    reached: `${(100 * reached).toFixed(2)} %: ${countBy('agent')} asked of the agent, ${countBy('platform')} ordered at the platform`,
    target: `at least ${100 * LEAST_SHARE} %`,
    isMet: reached >= LEAST_SHARE,
  }
}
