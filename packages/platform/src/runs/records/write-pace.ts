import { Refusal } from '../../http/refusal.ts'

/** Limits the rate of writes for unpaid runs, because each check and each change writes the whole run. */
export interface WritePace {
  /** When the origin is within its rate again, in Unix milliseconds; a time in the past means now. */
  freeAt(origin: string): number
  /** Counts the write of a run with this many characters. */
  count(origin: string, characters: number): void
}

/**
 * How far an origin may exceed its rate before its changes are refused. A person who pauses and resumes runs never
 * reaches this.
 */
const AHEAD_MS = 30_000

/**
 * Counts a change of an unpaid run that a caller requests.
 *
 * @throws {Refusal} `rate_limited`, with the time after which the change is allowed
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

/** Characters that may be written per second for the unpaid runs of one origin. */
const CHARACTERS_A_SECOND = 262_144
const MOST_ORIGINS = 10_000

/** Creates the write limit of one process. An origin that has not written for a while may write at once. */
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
