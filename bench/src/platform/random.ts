/** Pseudo-random numbers, the same for the same seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
  /** One of the list. Throws if it is empty. */
  pick<T>(from: readonly T[]): T
}

/** Makes a generator (a 32-bit Weyl sequence through a mixer). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    pick(from) {
      const chosen = from[below(from.length)]
      if (chosen === undefined) throw new Error('nothing to pick from')
      return chosen
    },
  }
}

/** Picks with the frequencies of words in a language: the n-th about 1 / (n + 2.7) as often as the first (Zipf, Mandelbrot). */
export function zipfian<T>(from: readonly T[], random: Random): () => T {
  const all = (from.length + SHIFT) / SHIFT
  return () => {
    const chosen = from[Math.floor(SHIFT * all ** random.next() - SHIFT)]
    if (chosen === undefined) throw new Error('nothing to pick from')
    return chosen
  }
}

/** The middle of the first word, counted from 1, and 2.7. */
const SHIFT = 3.2
