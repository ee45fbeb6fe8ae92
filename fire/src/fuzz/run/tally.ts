/** What was answered so far: plain counts, so that those of several workers can be added. */
export interface TallyCounts {
  answers: number
  /** Kinds of answer, and branches of the generator: how often each came up. */
  readonly seen: { [name: string]: number }
}

export interface Tally extends TallyCounts {
  /** Counts an answer of a kind. */
  note(kind: string): void
  /** Counts a branch of the generator. */
  see(name: string): void
}

/** A tally of nothing. */
export function createTally(): Tally {
  const seen: TallyCounts['seen'] = {}
  const see = (name: string): void => void (seen[name] = (seen[name] ?? 0) + 1)
  return {
    answers: 0,
    seen,
    see,
    note(kind) {
      this.answers += 1
      see(kind)
    },
  }
}

/** The tally of several workers together. */
export function addTallies(tallies: readonly TallyCounts[]): TallyCounts {
  const sum: TallyCounts = { answers: 0, seen: {} }
  for (const { answers, seen } of tallies) {
    sum.answers += answers
    for (const [name, count] of Object.entries(seen)) sum.seen[name] = (sum.seen[name] ?? 0) + count
  }
  return sum
}
