import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { follow } from '../../orders/follow.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** A run to be followed, and what opens it. */
export interface FollowedRun {
  readonly runId: string
  readonly headers: { readonly [name: string]: string }
}

/** Reports a run each time it changes, until it has ended, as {@link follow} does. */
export async function followRun(
  ask: Ask,
  { runId, headers }: FollowedRun,
  report: (run: RunProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const run = {
    path: `/v1/runs/${runId}`,
    answer: answers.runProgress,
    type: 'run',
    headers,
    isOver: hasEnded,
  }
  await follow(ask, run, report, signal)
}

function hasEnded({ ended_at: endedAt }: RunProgress): boolean {
  return endedAt !== null
}
