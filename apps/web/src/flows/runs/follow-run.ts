import type { RunAnswer, RunProgress } from '@farebox/platform-api/flows/runs'
import { readEvents } from '../../orders/read-events.ts'
import { ApiFailure, type Ask } from '../../site/ask.ts'

const SHORTEST_PAUSE_MS = 700
const LONGEST_PAUSE_MS = 15_000

/** A run to be followed, and what opens it. */
export interface FollowedRun {
  readonly runId: string
  readonly headers: { readonly [name: string]: string }
}

/**
 * Tells how a run stands each time it changes, until nothing more can become of it: by the platform's events, and by asking
 * where they do not come. Rejects where the run is not there (an `ApiFailure`, 404) and when the signal aborts.
 */
export async function followRun(
  ask: Ask,
  { runId, headers }: FollowedRun,
  tell: (run: RunProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastId: string | undefined
  let isOver = false
  const see = (run: RunProgress): void => {
    isOver = run.ended_at !== null
    tell(run)
  }
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      for await (const event of readEvents(`/v1/runs/${runId}/events`, { headers, lastId, signal })) {
        lastId = event.id ?? lastId
        if (event.type === 'run') see(JSON.parse(event.data) as RunProgress)
        pauseMs = SHORTEST_PAUSE_MS
      }
    } catch {
      signal.throwIfAborted()
    }
    if (isOver) return
    const asked = await ask<RunAnswer>(`/v1/runs/${runId}`, { headers, signal }).catch((error: unknown) => {
      if (signal.aborted || (error instanceof ApiFailure && error.status === 404)) throw error
      return undefined
    })
    if (asked !== undefined) see(asked)
    if (isOver) return
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    signal.throwIfAborted()
  }
}
