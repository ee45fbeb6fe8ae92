/** Work that would hold up the event loop, one piece after the other. */
export interface Turns {
  /** Does the piece when its turn comes, without waiting inside it. Rejects with what the piece throws. */
  take<T>(piece: () => T): Promise<Awaited<T>>
}

/** The time that turns need. */
export interface TurnsTime {
  nowMs(): number
  /** After 0 ms as well, others are read and answered first. */
  sleep(ms: number): Promise<void>
}

/**
 * Turns in the order in which they are asked for. A piece is followed by a rest as long as it took, so that however
 * many pieces strangers send, half of the time is left for other requests.
 */
export function createTurns({ nowMs, sleep }: TurnsTime): Turns {
  let last = Promise.resolve()
  return {
    take: piece =>
      new Promise((resolve, reject) => {
        last = last
          .then(() => sleep(0))
          .then(() => {
            const startedMs = nowMs()
            try {
              resolve(piece() as Awaited<ReturnType<typeof piece>>)
            } catch (error) {
              reject(error)
            }
            return sleep(nowMs() - startedMs)
          })
      }),
  }
}
