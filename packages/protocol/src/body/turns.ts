import { sleep, type Clock } from '../time/clock.ts'

/** Runs work that would block the event loop, one piece after the other. */
export interface Turns {
  /** Runs the piece when its turn comes; it must not wait inside. Rejects with the error of the piece. */
  take<T>(piece: () => T): Promise<Awaited<T>>
}

/**
 * Creates turns in the order of the requests. After each piece there is a pause of the same length, so that half of the time
 * remains for other requests, however many pieces callers cause.
 */
export function createTurns(clock: Clock): Turns {
  let last = Promise.resolve()
  return {
    take: piece =>
      new Promise((resolve, reject) => {
        last = last
          // A sleep of 0 ms also lets other requests be read and answered first.
          .then(() => sleep(clock, 0))
          .then(() => {
            const startedMs = clock.nowMs()
            try {
              resolve(piece() as Awaited<ReturnType<typeof piece>>)
            } catch (error) {
              reject(error)
            }
            return sleep(clock, clock.nowMs() - startedMs)
          })
      }),
  }
}
