import { setTimeout as delay } from 'node:timers/promises'

/** Only ends a test that hangs. */
const HANG_MS = 600_000

/**
 * Calls `read` every `everyMs` until its value is truthy, and resolves to the value. For tests that wait for an event,
 * however long it takes on a busy machine; use `expect.poll` when a failure should show the value.
 *
 * @throws the error of `read`; an error when the value is still falsy after ten minutes
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

/** Resolves when the signal aborts, at once if it is already aborted. A listener alone would not be called in that case. */
export function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    if (signal?.aborted === true) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
