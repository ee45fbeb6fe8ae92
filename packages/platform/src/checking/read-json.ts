import { nestsDeeperThan } from '@farebox/protocol/internal/job/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'

/** Untrusted JSON, or what is wrong with it in words of ours. */
export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string }

/**
 * Reads untrusted JSON: at most 64 levels (D15), and nothing that JSON can say and that could not be kept: text that
 * PostgreSQL refuses (a NUL character, half of a surrogate pair), and numbers like `1e400`, which are read as `Infinity`
 * and written as null.
 */
export function readJson(text: string): ReadJson {
  if (nestsDeeperThan(new TextEncoder().encode(text), MAX_BODY_DEPTH)) {
    return { ok: false, reason: `is nested deeper than ${MAX_BODY_DEPTH} levels` }
  }
  const value = parse(text)
  if (value === undefined) return { ok: false, reason: 'is not JSON' }
  const flaw = findUnstorable(value)
  return flaw === undefined ? { ok: true, value } : { ok: false, reason: `has ${flaw} that cannot be kept` }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function findUnstorable(value: unknown): 'characters' | 'numbers' | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'numbers'
  if (typeof value === 'string') return UNSTORABLE.test(value) ? 'characters' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const flaw = findUnstorable(key) ?? findUnstorable(inner)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

const UNSTORABLE = /\0|\p{Surrogate}/u
