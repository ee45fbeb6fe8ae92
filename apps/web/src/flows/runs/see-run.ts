import type { RunProgress, RunWaiting } from '@farebox/platform-api/flows/runs'
import type { SeenRun } from '../../kept/kept-run.ts'

/** The part of a run's state that lists show. */
export function seeRun(run: RunProgress): SeenRun {
  const paid = run.steps.filter(({ jobs, state }) => jobs.length > 0 && state !== 'skipped')
  return {
    status: run.status,
    needs: run.status === 'waiting' ? whatItNeeds(run.waiting) : null,
    paid: run.paid,
    exposed: run.exposed,
    done: paid.filter(({ state }) => state === 'done').length,
    steps: paid.length,
    changed_at: run.changed_at,
    ended_at: run.ended_at,
  }
}

function whatItNeeds(waiting: readonly RunWaiting[]): SeenRun['needs'] {
  const kinds = new Set(waiting.map(one => one.for))
  if (kinds.has('retry')) return 'retry'
  if (kinds.has('payment')) return 'payment'
  return kinds.has('person') ? 'person' : null
}
