import type { Random } from '../seeded-random.ts'

/** What nodes lie about. */
export const LIES = ['receipts', 'old heads', 'block times'] as const

/** Whose node lies. */
export const LIARS = ['agent', 'facilitator'] as const

/** One time in which a node lies, in milliseconds since the start. */
export interface Lie {
  readonly of: (typeof LIARS)[number]
  readonly what: (typeof LIES)[number]
  readonly fromMs: number
  readonly toMs: number
  /** Where its heads are old, by how many blocks. */
  readonly behind: number
  /** Where its block times are wrong, by how much. */
  readonly aheadSeconds: number
}

/** Below and beyond the 30 s that a block may be ahead of our clock; an hour is a time zone. */
const AHEAD_SECONDS = [5, 12, 25, 29, 35, 60, 600, 3_600]
const LONGEST_MS = 20_000
/** About the length of a history, in blocks: the first of them is an old head, too. */
const OLDEST_HEAD = 20

/** Draws what a node lies about in a history. */
export function planLies(random: Random, of: Lie['of'], lengthMs: number): readonly Lie[] {
  return Array.from({ length: random.between(1, 2) }, () => {
    const fromMs = random.between(0, lengthMs)
    const aheadSeconds = random.pick(AHEAD_SECONDS)
    return {
      of,
      what: random.pick(LIES),
      fromMs,
      toMs: fromMs + random.between(1_000, LONGEST_MS),
      behind: random.between(4, OLDEST_HEAD),
      aheadSeconds: random.chance(0.6) ? aheadSeconds : -aheadSeconds,
    }
  })
}
