import { ownFrames } from '../own-frames.ts'

/** What was thrown, as a line for the log. Never throws: handlers can throw anything, a hostile Proxy included. */
export function describeThrown(thrown: unknown): string {
  try {
    // A message is whatever was assigned to it, and turning that into text may throw, too.
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'something that cannot be read'
  }
}

/** Where in the author's own files it was thrown, `handlers.ts:12:9`; undefined where that is not known. Never throws. */
export function placeThrown(thrown: unknown): string | undefined {
  try {
    return thrown instanceof Error && typeof thrown.stack === 'string'
      ? ownFrames(thrown.stack)[0]?.place
      : undefined
  } catch {
    return undefined
  }
}
