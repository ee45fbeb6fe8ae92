import { Refusal } from '../../http/refusal.ts'

/** Bounds the rate of writes for unpaid runs: each check and each change writes a run as a whole. */
export interface WritePace {
  /** When the origin is within its rate again, in Unix milliseconds; a time in the past means now. */
  freeAt(origin: string): number
  /** Counts a run of so many characters as written. */
  count(origin: string, characters: number): void
}

/** How far ahead of its rate an origin may be before its changes are refused. A person who pauses and resumes never is. */
const AHEAD_MS = 30_000

/**
 * Counts a change of an unpaid run that a caller asks for.
 *
 * @throws {Refusal} `rate_limited`, with the time after which there is room
 */
export function takeChange(pace: WritePace, nowMs: number, origin: string, characters: number): void {
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

/** Characters that may be written a second for the unpaid runs of one origin. */
const CHARACTERS_A_SECOND = 262_144
const MOST_ORIGINS = 10_000

/** Makes it, for one process. An origin that has written nothing for long may write at once. */
export function createWritePace(nowMs: () => number): WritePace {
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
