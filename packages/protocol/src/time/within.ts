import type { Clock } from './clock.ts'

/**
 * Waits for work, and no longer than the limit.
 *
 * @returns what the work resolved to; `undefined` where it was not over in time: then it goes on, and its outcome is ignored
 * @throws what the work rejected with in time
 */
export function within<T>(
  clock: Pick<Clock, 'after'>,
  limitMs: number,
  work: Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => resolve(undefined))
    work.finally(cancel).then(resolve, reject)
  })
}
