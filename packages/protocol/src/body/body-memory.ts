import { LARGE_BODY_BYTES } from '../limits.ts'

/** How much memory the bodies may take together that are on their way to one server, or wait there. */
export interface BodyMemory {
  /** For one body. */
  reserve(): Reservation
}

/** The room of one body. */
export interface Reservation {
  /** Takes room for so many bytes in all; false where there is none. */
  hasRoom(bytes: number): boolean
  /** Gives it back, once the body is used or given up. */
  leave(): void
}

/** Makes the room: untrusted hosts who send large bodies slowly must not fill the memory. Small bodies
 * always have room: ten thousand connections of them are bearable. */
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
