import { nestsDeeperThan } from '@farebox/protocol/job/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'

/** A stranger's JSON, or what is wrong with it in words of ours. */
export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

/**
 * Reads a stranger's JSON: at most 64 levels (D15), and no text that a database could not keep (a NUL character, half
 * of a surrogate pair), which JSON can say and PostgreSQL refuses.
 */
export function readJson(text: string): ReadJson {
  if (nestsDeeperThan(new TextEncoder().encode(text), MAX_BODY_DEPTH)) {
    return { ok: false, reason: `is nested deeper than ${MAX_BODY_DEPTH} levels` }
  }
  const value = parse(text)
  if (value === undefined) return { ok: false, reason: 'is not JSON' }
  return isStorable(value) ? { ok: true, value } : { ok: false, reason: 'has characters that cannot be kept' }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !UNSTORABLE.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => !UNSTORABLE.test(key) && isStorable(inner))
}

const UNSTORABLE = /\0|\p{Surrogate}/u
