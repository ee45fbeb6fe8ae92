import { Refusal } from '../../http/refusal.ts'

/** Spaces out what is written of runs that nobody has paid for: each look and each change writes a run as a whole. */
export interface WakePace {
  /** Unix milliseconds from which on what is written of this origin's runs is within its pace; in the past: now. */
  freeAt(origin: string): number
  /** Counts a run of so many characters as written. */
  count(origin: string, characters: number): void
}

/** How far ahead of its pace an origin may ask for changes before it is refused: a person who pauses and resumes is not. */
const AHEAD_MS = 30_000

/**
 * Counts a change that somebody asks for of a run that nobody has paid for.
 *
 * @throws {Refusal} `rate_limited`, with the time after which there is room
 */
export function takeChange(pace: WakePace, nowMs: number, origin: string, characters: number): void {
  const aheadMs = pace.freeAt(origin) - nowMs - AHEAD_MS
  if (aheadMs > 0)
    throw new Refusal(
      'rate_limited',
      'too much is written for runs of which nothing was paid: ask again later',
      {
        retryAfterSeconds: Math.ceil(aheadMs / 1_000),
      },
    )
  pace.count(origin, characters)
}

/** What may be written of an origin's runs in a second. */
const CHARACTERS_A_SECOND = 262_144
const MOST_ORIGINS = 10_000

/** Makes it, for one process. An origin that has written nothing for long may write at once. */
export function createWakePace(nowMs: () => number): WakePace {
  const freeAtMs = new Map<string, number>()
  return {
    freeAt: origin => freeAtMs.get(origin) ?? 0,
    count(origin, characters) {
      const now = nowMs()
      const at = Math.max(now, freeAtMs.get(origin) ?? 0) + (characters * 1_000) / CHARACTERS_A_SECOND
      freeAtMs.delete(origin)
      freeAtMs.set(origin, at)
      for (const [one, until] of freeAtMs) {
        if (until > now && freeAtMs.size <= MOST_ORIGINS) break
        freeAtMs.delete(one)
      }
    },
  }
}
