import { LARGE_BODY_BYTES } from '../limits.ts'

/** Limits the total memory of the bodies that are being received by one server, or wait there. */
export interface BodyMemory {
  /** Reserves memory for one body. */
  reserve(): Reservation
}

/** The reserved memory of one body. */
export interface Reservation {
  /** Reserves this many bytes in total for the body; false when the limit is reached. */
  hasRoom(bytes: number): boolean
  /** Releases the memory once the body was used or given up. */
  leave(): void
}

/**
 * Creates the limit: untrusted hosts that send large bodies slowly must not fill the memory. Small bodies are always
 * admitted: ten thousand connections with small bodies are bearable.
 */
export function createBodyMemory(maxBytes: number): BodyMemory {
  let taken = 0
  return {
    reserve() {
      let reserved = 0
      return {
        hasRoom(bytes) {
          if (bytes <= LARGE_BODY_BYTES || bytes <= reserved) return true
          if (taken + bytes - reserved > maxBytes) return false
          taken += bytes - reserved
          reserved = bytes
          return true
        },
        leave() {
          taken -= reserved
          reserved = 0
        },
      }
    },
  }
}
