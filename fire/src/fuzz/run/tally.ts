import type { Mode } from '../mode.ts'

/** What was sent and answered so far. Plain counts, so that those of several workers can be added. */
export interface Tally {
  recipes: number
  answers: number
  /** `paid 402` → how many. */
  readonly statuses: { [modeAndStatus: string]: number }
  /** Kinds of answer, and branches of the generator: how often each came up. */
  readonly seen: { [name: string]: number }
  /** How many answers took so many milliseconds, rounded down; the last is 1,000 or more. */
  readonly tookMs: number[]
  note(mode: Mode, status: number, tookMs: number | undefined): void
  see(name: string): void
}

export type TallyCounts = Omit<Tally, 'note' | 'see'>

export function createTally(): Tally {
  const tally: Tally = {
    recipes: 0,
    answers: 0,
    statuses: {},
    seen: {},
    tookMs: [],
    note(mode, status, tookMs) {
      tally.answers += 1
      const name = `${mode} ${status}`
      tally.statuses[name] = (tally.statuses[name] ?? 0) + 1
      if (tookMs === undefined) return
      const slot = Math.min(1_000, Math.floor(tookMs))
      tally.tookMs[slot] = (tally.tookMs[slot] ?? 0) + 1
    },
    see: name => void (tally.seen[name] = (tally.seen[name] ?? 0) + 1),
  }
  return tally
}

/** The counts alone, as they go to another process. */
export function countsOf({ recipes, answers, statuses, seen, tookMs }: TallyCounts): TallyCounts {
  return { recipes, answers, statuses: { ...statuses }, seen: { ...seen }, tookMs: [...tookMs] }
}

/** The tally of several workers together. */
export function addTallies(tallies: readonly TallyCounts[]): TallyCounts {
  const sum: TallyCounts = { recipes: 0, answers: 0, statuses: {}, seen: {}, tookMs: [] }
  for (const tally of tallies) {
    sum.recipes += tally.recipes
    sum.answers += tally.answers
    addCounts(sum.statuses, tally.statuses)
    addCounts(sum.seen, tally.seen)
    tally.tookMs.forEach((count, slot) => void (sum.tookMs[slot] = (sum.tookMs[slot] ?? 0) + (count ?? 0)))
  }
  return sum
}

function addCounts(sum: { [name: string]: number }, more: { readonly [name: string]: number }): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count
}

/** The time below which so large a share of answers came, in whole milliseconds, rounded up. */
export function quantileMs({ tookMs }: Pick<TallyCounts, 'tookMs'>, share: number): number {
  const total = tookMs.reduce((sum, count) => sum + (count ?? 0), 0)
  let left = total * share
  for (let slot = 0; slot < tookMs.length; slot += 1) {
    left -= tookMs[slot] ?? 0
    if (left <= 0) return slot + 1
  }
  return tookMs.length
}
