import { parseJson as parse } from '@farebox/protocol/internal/guards/json'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'

/**
 * Levels of nesting that are read. An output may have 64 of its own (D15) and is in an envelope; this is
 * far above that, because what was paid for should not be thrown away, and far below what crashes
 * `JSON.stringify`.
 */
const MAX_ANSWER_DEPTH = 256

/**
 * Parses an agent's or a platform's JSON; undefined where it is none, or nests too deeply. Depth is counted before parsing:
 * a megabyte of brackets would hold up the parser for half a second.
 */
export function parseAnswerJson(text: string): unknown {
  return nestsDeeperThan(new TextEncoder().encode(text), MAX_ANSWER_DEPTH) ? undefined : parse(text)
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
