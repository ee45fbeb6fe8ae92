/** A pure function of an object that nobody changes, called once for each. */
export function remember<Given, Result>(compute: (given: Given) => Result): (given: Given) => Result {
  const known = new Map<Given, Result>()
  return given => {
    const before = known.get(given)
    if (before !== undefined) return before
    const result = compute(given)
    // Whatever is read anew each time must not be kept for ever.
    if (known.size >= MOST_KEPT) known.clear()
    known.set(given, result)
    return result
  }
}

const MOST_KEPT = 200
