import { systemClock } from '@farebox/client/internal/exchange/clock'
import { ApiFailure } from '../site/ask.ts'

const FIRST_PAUSE_MS = 400
const LONGEST_PAUSE_MS = 10_000

/** What the platform said in the end: its answer, or that it does not do it. */
export type Answered<Answer> =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: ApiFailure }

/** Whether a request may have been taken all the same: 429 and 5xx do not say, any other refusal says that it was not. */
export function isUnanswered(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && (error.status === 0 || error.status === 429 || error.status >= 500)
}

/**
 * Puts a request again and again until it is answered; it must be one that changes nothing the second time.
 *
 * @param tell of an answer that did not come, once for each
 */
export async function putUntilAnswered<Answer>(
  put: () => Promise<Answer>,
  tell: () => void,
  signal: AbortSignal,
): Promise<Answered<Answer>> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return { ok: true, answer: await put() }
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure
      if (!isUnanswered(failure)) return { ok: false, failure }
    }
    tell()
    await systemClock.sleep(pauseMs, signal)
  }
}
