import { sleep, type Clock } from '../time/clock.ts'

/** Work that would hold up the event loop, one piece after the other. */
export interface Turns {
  /** Does the piece when its turn comes, without waiting inside it. Rejects with what the piece throws. */
  take<T>(piece: () => T): Promise<Awaited<T>>
}

/**
 * Turns in the order in which they are asked for. A piece is followed by a rest as long as it took, so that however
 * many pieces strangers send, half of the time is left for other requests.
 */
export function createTurns(clock: Clock): Turns {
  let last = Promise.resolve()
  return {
    take: piece =>
      new Promise((resolve, reject) => {
        last = last
          // After 0 ms as well, others are read and answered first.
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
