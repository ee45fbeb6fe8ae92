/** Requests being answered: a number, because a set of their promises would cost each of them several more. */
export interface InFlight {
  begin(): void
  end(): void
  /** Resolves as soon as there are none. */
  whenNone(): Promise<void>
}

/** Makes the count, at none. */
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
