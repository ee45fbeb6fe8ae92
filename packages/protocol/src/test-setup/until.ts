import { setTimeout as delay } from 'node:timers/promises'

/** Ends a hang, and nothing else. */
const HANG_MS = 600_000

/**
 * Reads every `everyMs` until the value is truthy, and resolves to it. For tests that wait for something to happen, however long it
 * takes on a busy machine; where the value matters to the reader of a failure, `expect.poll` says more.
 *
 * @throws What `read` throws; an error where the value is still falsy after ten minutes.
 */
export async function until<T>(
  read: () => T | Promise<T>,
  everyMs = 20,
): Promise<Exclude<T, false | undefined | null | 0 | ''>> {
  for (const endMs = Date.now() + HANG_MS; Date.now() < endMs; await delay(everyMs)) {
    const value = await read()
    if (isTruthy(value)) return value
  }
  throw new Error(`after ten minutes this is still not true: ${read.toString()}`)
}

function isTruthy<T>(value: T): value is Exclude<T, false | undefined | null | 0 | ''> {
  return Boolean(value)
}

/** Resolves when the signal is aborted, at once where it is already. A listener alone is never called in that case. */
export function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted === true) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
