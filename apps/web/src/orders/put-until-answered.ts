import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { ApiFailure } from '../site/ask.ts'

const FIRST_PAUSE_MS = 400
const LONGEST_PAUSE_MS = 10_000

/** The platform's final answer: the requested result, or a refusal. */
export type Answered<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: ApiFailure }

/** Whether the platform may still have accepted a request: 429 and 5xx leave that open, any other refusal rules it out. */
export function isUnanswered(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/**
 * Repeats a request until it is answered. The request must be idempotent.
 *
 * @param options.onUnanswered called for each attempt without an answer
 * @returns the answer, or the refusal; rejects when the signal aborts
 */
export async function putUntilAnswered<Answer>(
  put: () => Promise<Answer>,
  {
    onUnanswered,
    signal,
    clock,
  }: { readonly onUnanswered: () => void; readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Answered<Answer>> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return { ok: true, answer: await put() }
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure
      if (!isUnanswered(failure)) return { ok: false, failure }
    }
    onUnanswered()
    await sleep(clock, pauseMs, signal)
    signal.throwIfAborted()
  }
}
