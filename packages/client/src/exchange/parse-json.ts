import { parseJson as parse } from '@farebox/protocol/internal/guards/json'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'

/**
 * The deepest nesting that is read. An output may have 64 levels (D15) inside an envelope; this limit is far above that, so
 * that paid output is not discarded, and far below what crashes `JSON.stringify`.
 */
const MAX_ANSWER_DEPTH = 256

/**
 * Parses an agent's or a platform's JSON; undefined when it is not JSON, or nests too deeply. The depth is counted before
 * parsing: a megabyte of brackets would block the parser for half a second.
 */
export function parseAnswerJson(text: string): unknown {
  return nestsDeeperThan(new TextEncoder().encode(text), MAX_ANSWER_DEPTH) ? undefined : parse(text)
}

/**
 * Does the parsed value contain a number beyond the range of a double, like `1e400`? JSON can express it, but it is parsed
 * to `Infinity`, which JSON cannot express.
 */
export function holdsInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return (Array.isArray(value) ? value : Object.values(value)).some(holdsInfinity)
}
