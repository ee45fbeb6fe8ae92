import { holdsInfinity } from '@farebox/client/internal/exchange/parse-json'
import { parseJson } from '@farebox/protocol/internal/guards/json'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'
import { findUnstorable, mayHoldUnstorable, replaceUnstorable } from '../unstorable.ts'

/** Parsed untrusted JSON, or the problem with it in a text of the platform. */
export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

/**
 * Reads untrusted JSON that must be used whatever its texts contain, because it was paid for. Characters that PostgreSQL
 * cannot store (NUL, half of a surrogate pair) are replaced by U+FFFD. Refuses more than 64 levels (D15), and numbers like
 * `1e400`, which are parsed as `Infinity` and written as null.
 */
export function readJson(text: string): ReadJson {
  const read = readAny(text)
  return read.ok && mayHoldUnstorable(text) ? { ok: true, value: replaceUnstorable(read.value) } : read
}

/** Reads untrusted JSON like {@link readJson}, but refuses texts that cannot be stored unchanged. */
export function readStorableJson(text: string): ReadJson {
  const read = readAny(text)
  const found = read.ok && mayHoldUnstorable(text) ? findUnstorable(read.value) : undefined
  return found === undefined
    ? read
    : { ok: false, reason: `has a character that cannot be kept (${found.character})` }
}

function readAny(text: string): ReadJson {
  if (nestsDeeperThan(new TextEncoder().encode(text), MAX_BODY_DEPTH)) {
    return { ok: false, reason: `is nested deeper than ${MAX_BODY_DEPTH} levels` }
  }
  const value = parseJson(text)
  if (value === undefined) return { ok: false, reason: 'is not JSON' }
  return holdsInfinity(value) ? { ok: false, reason: 'has numbers that cannot be kept' } : { ok: true, value }
}
