import { systemClock } from '@farebox/client/internal/exchange/clock'
import type { AnswerOf } from '../site/answers.ts'
import { ApiFailure, takeAnswer, type Ask } from '../site/ask.ts'
import { readEvents } from './read-events.ts'

const SHORTEST_PAUSE_MS = 700
const LONGEST_PAUSE_MS = 15_000

/** Something that changes at the platform, and comes to an end. */
export interface Followed<Seen> {
  /** It is read here; its events are below, at `/events`. */
  readonly path: string
  /** What is read there, and what the events carry. */
  readonly answer: AnswerOf<Seen>
  /** Of the events that carry it. */
  readonly type: string
  readonly headers: { readonly [name: string]: string }
  /** Nothing more can become of it. */
  readonly isOver: (seen: Seen) => boolean
}

/**
 * Reports something each time it changes, until it is over: by the platform's events, and by asking where they do not come.
 * Rejects where it is not there (an `ApiFailure`, 404) and when the signal aborts.
 */
export async function follow<Seen>(
  ask: Ask,
  { path, answer, type, headers, isOver }: Followed<Seen>,
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
    await systemClock.sleep(pauseMs, signal)
  }
}
