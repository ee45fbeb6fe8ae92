import { ownFrames } from '../own-frames.ts'

/** Describes a thrown value in one line for the log. Never throws, whatever was thrown, including a hostile Proxy. */
export function describeThrown(thrown: unknown): string {
  try {
    // A message may be any value, and converting it to a text may throw as well.
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    return 'something that cannot be read'
  }
}

/**
 * The place in the author's own files where the error was thrown, `handlers.ts:12:9`; undefined when it is unknown.
 * Never throws.
 */
export function placeThrown(thrown: unknown): string | undefined {
  try {
    return thrown instanceof Error && typeof thrown.stack === 'string'
      ? ownFrames(thrown.stack)[0]?.place
      : undefined
  } catch {
    return undefined
  }
}
