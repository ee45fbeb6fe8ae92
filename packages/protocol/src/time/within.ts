import type { Clock } from './clock.ts'

/**
 * Waits for work up to a time limit.
 *
 * @returns the result of the work; `undefined` after the time limit: the work then continues, and its outcome is ignored
 * @throws the error of the work when it occurs in time
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
