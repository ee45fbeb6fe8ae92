import type { JsonValue } from '@farebox/protocol/fields/field'
import { nestsDeeperThan } from '@farebox/protocol/internal/job/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'

/** Parses JSON; undefined where it is none, or nests deeper than any agent takes (D15). */
export function parseJson(text: string): JsonValue | undefined {
  if (nestsDeeperThan(new TextEncoder().encode(text), MAX_BODY_DEPTH)) return undefined
  try {
    // What `JSON.parse` makes is a JSON value and nothing else.
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
