import { nestsDeeperThan } from '@farebox/protocol/internal/job/json-depth'

/**
 * Levels of nesting that are read. An output may have 64 of its own (D15) and stands in an envelope; this is
 * far above that, because what was paid for should not be thrown away, and far below what crashes
 * `JSON.stringify`.
 */
const MAX_ANSWER_DEPTH = 256

/**
 * Parses a stranger's JSON; undefined where it is none, or nests too deeply. Depth is counted before parsing:
 * a megabyte of brackets would hold up the parser for half a second.
 */
export function parseJson(text: string): unknown {
  if (nestsDeeperThan(new TextEncoder().encode(text), MAX_ANSWER_DEPTH)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Is this a JSON object: neither an array nor null? */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Is there a number in what was parsed that is larger than any a computer counts with, like `1e400`? JSON has a form for
 * it; what it is parsed to, `Infinity`, has none.
 */
export function holdsInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return (Array.isArray(value) ? value : Object.values(value)).some(holdsInfinity)
}
