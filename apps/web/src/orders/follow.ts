import { sleep, systemClock } from '@farebox/protocol/time/clock'
import type { AnswerOf } from '../site/answers.ts'
import { ApiFailure, takeAnswer, type Ask } from '../site/ask.ts'
import { readEvents } from './read-events.ts'

const SHORTEST_PAUSE_MS = 700
const LONGEST_PAUSE_MS = 15_000

/** A resource of the platform that changes until its state is final. */
export interface FollowedResource<Seen> {
  /** The path of the resource; its events are at `/events` below it. */
  readonly path: string
  /** The schema of its answer and of its events. */
  readonly answer: AnswerOf<Seen>
  /** The type of its events. */
  readonly type: string
  readonly headers: { readonly [name: string]: string }
  /** Whether its state can no longer change. */
  readonly isOver: (seen: Seen) => boolean
}

/**
 * Reports a resource each time it changes, until its state is final. Uses the platform's events, and polls when no events
 * arrive. Rejects when the platform does not have the resource (an `ApiFailure`, 404) and when the signal aborts.
 */
export async function follow<Seen>(
  ask: Ask,
  { path, answer, type, headers, isOver }: FollowedResource<Seen>,
  report: (seen: Seen) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastId: string | undefined
  let isDone = false
  const see = (seen: Seen): void => {
    isDone = isOver(seen)
    report(seen)
  }
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      for await (const event of readEvents(`${path}/events`, { headers, lastId, signal })) {
        lastId = event.id ?? lastId
        if (event.type === type) see(await takeAnswer(answer, JSON.parse(event.data)))
        pauseMs = SHORTEST_PAUSE_MS
      }
    } catch {
      signal.throwIfAborted()
    }
    if (isDone) return
    const asked = await ask(path, answer, { headers, signal }).catch((error: unknown) => {
      if (signal.aborted || (error instanceof ApiFailure && error.status === 404)) throw error
      return undefined
    })
    if (asked !== undefined) see(asked)
    if (isDone) return
    await sleep(systemClock, pauseMs, signal)
    signal.throwIfAborted()
  }
}
