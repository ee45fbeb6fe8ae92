import type { JsonValue } from '@farebox/protocol/fields/field'
import { parseJson } from '@farebox/protocol/internal/guards/json'
import { nestsDeeperThan } from '@farebox/protocol/internal/guards/json-depth'
import { MAX_BODY_DEPTH } from '@farebox/protocol/limits'

/** Parses JSON; undefined where it is none, or nests deeper than any agent takes (D15). */
export function parseInput(text: string): JsonValue | undefined {
  if (nestsDeeperThan(new TextEncoder().encode(text), MAX_BODY_DEPTH)) return undefined
  // Parsed JSON is a JSON value and nothing else.
  return parseJson(text) as JsonValue | undefined
}
