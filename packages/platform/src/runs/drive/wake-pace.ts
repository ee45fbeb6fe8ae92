/** Spaces out the looks at runs that time alone causes, by what each of them writes. */
export interface WakePace {
  /**
   * Counts a look at a run of so many characters.
   *
   * @returns Unix milliseconds before which no run of this origin is to be looked at because of the time
   */
  after(origin: string, characters: number): number
}

/** A look reads, works out and writes a run as a whole: what time may cause to be written of an origin's runs in a second. */
const CHARACTERS_A_SECOND = 262_144
const MOST_ORIGINS = 10_000

/** Makes it, for one process. An origin that has written nothing for long may write at once. */
export function createWakePace(nowMs: () => number): WakePace {
  const freeAtMs = new Map<string, number>()
  return {
    after(origin, characters) {
      const now = nowMs()
      const at = Math.max(now, freeAtMs.get(origin) ?? 0) + (characters * 1_000) / CHARACTERS_A_SECOND
      freeAtMs.delete(origin)
      freeAtMs.set(origin, at)
      for (const [one, until] of freeAtMs) {
        if (until > now && freeAtMs.size <= MOST_ORIGINS) break
        freeAtMs.delete(one)
      }
      return at
    },
  }
}
