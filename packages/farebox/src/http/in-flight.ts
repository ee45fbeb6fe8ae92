/**
 * The number of requests in progress: a counter, because a set of their promises would create several more promises for
 * each.
 */
export interface InFlight {
  begin(): void
  end(): void
  /** Resolves as soon as no request is in progress. */
  whenNone(): Promise<void>
}

/** Makes the counter, starting at zero. */
export function createInFlight(): InFlight {
  const waiting: (() => void)[] = []
  let count = 0
  return {
    begin() {
      count += 1
    },
    end() {
      count -= 1
      if (count === 0) for (const tell of waiting.splice(0)) tell()
    },
    whenNone: () => (count === 0 ? Promise.resolve() : new Promise(resolve => waiting.push(resolve))),
  }
}
