/** The only source of randomness in a history: the same seed draws the same numbers, on every machine. */
export interface Random {
  next(): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** An integer, both ends included. */
  between(least: number, most: number): number
  /** One of the list, which must not be empty. */
  pick<T>(list: readonly T[]): T
  /** This many bytes as `0x` hex. */
  hex(bytes: number): string
  uuid(): string
  /**
   * A separate source for one concern: its draws do not shift those of others, so that a history without one fault
   * stays similar to the history with it.
   */
  fork(label: string): Random
}

export function createRandom(seed: number): Random {
  return sourceOf(mix(seed, 'farebox'))
}

function sourceOf(start: number): Random {
  let state = start
  /** mulberry32: 32 bits of state, far more than the draws of one history need. */
  const word = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const next = (): number => word() / 4_294_967_296
  const digits = (bytes: number): string => {
    let text = ''
    for (let left = bytes; left > 0; left -= 4) text += word().toString(16).padStart(8, '0')
    return text.slice(0, bytes * 2)
  }
  return {
    next,
    chance: probability => next() < probability,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick(list) {
      const picked = list[Math.floor(next() * list.length)]
      if (picked === undefined) throw new RangeError('nothing to pick from')
      return picked
    },
    hex: bytes => `0x${digits(bytes)}`,
    uuid() {
      const text = digits(16)
      const variant = '89ab'[word() & 3] ?? '8'
      const ends = `${variant}${text.slice(17, 20)}-${text.slice(20)}`
      return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${ends}`
    },
    fork: label => sourceOf(mix(start, label)),
  }
}

/** FNV-1a over the number and the label, so that neighbouring seeds begin far apart. */
function mix(number: number, label: string): number {
  let hash = 0x811c9dc5
  for (const text of [String(number), label]) {
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash ^ 0xff, 0x01000193)
  }
  return hash | 0
}
