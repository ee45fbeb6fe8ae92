import { MAX_BODY_PIECES } from '../limits.ts'

/** Why a body is refused. */
export type BodyFault = 'too large' | 'too many pieces'

/** Collects the bytes of one body while its chunks arrive. */
export interface BodyBuffer {
  /** Bytes received so far. */
  readonly length: number
  /** Adds the next chunk; returns a fault when the body exceeds its limits, and then discards all of it. */
  add(piece: Uint8Array): BodyFault | undefined
  /** The whole body. Called once, at its end: the bytes are not copied. */
  bytes(): Uint8Array
}

const EMPTY: Uint8Array = new Uint8Array()

/** Size of the first block, allocated at the second chunk: enough for most bodies that arrive in chunks. */
const FIRST_ROOM_BYTES = 1_024

/**
 * Makes an empty buffer for a body of at most `maxBytes`, in at most {@link MAX_BODY_PIECES} pieces.
 *
 * The pieces are copied into one block that doubles, and let go: a Buffer for each one-byte chunk would cost several
 * hundred times what was sent. So a body never holds more than twice its bytes, three times while it is moved. A body
 * in one piece, as nearly all are, is not copied.
 *
 * @example
 * const body = createBodyBuffer(1_048_576)
 * body.add(new TextEncoder().encode('{"a":')) // undefined
 * body.add(new TextEncoder().encode('1}')) // undefined
 * body.length // 7
 */
export function createBodyBuffer(maxBytes: number): BodyBuffer {
  return new Block(maxBytes)
}

/** A class, because there is one for each body: creating an object with its own getter is slow. */
class Block implements BodyBuffer {
  length = 0
  private readonly maxBytes: number
  private block = EMPTY
  private pieces = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  add(piece: Uint8Array): BodyFault | undefined {
    const needed = this.length + piece.length
    this.pieces += 1
    if (needed > this.maxBytes || this.pieces > MAX_BODY_PIECES) {
      this.block = EMPTY
      this.length = 0
      return needed > this.maxBytes ? 'too large' : 'too many pieces'
    }
    if (this.length === 0) this.block = piece
    else {
      if (needed > this.block.length)
        this.block = moved(this.block, this.length, roomFor(needed, this.maxBytes))
      this.block.set(piece, this.length)
    }
    this.length = needed
    return undefined
  }

  bytes(): Uint8Array {
    return this.block.length === this.length ? this.block : this.block.subarray(0, this.length)
  }
}

function roomFor(needed: number, maxBytes: number): number {
  return Math.min(maxBytes, Math.max(FIRST_ROOM_BYTES, 2 * needed))
}

function moved(block: Uint8Array, length: number, room: number): Uint8Array {
  const larger = new Uint8Array(room)
  larger.set(length === block.length ? block : block.subarray(0, length))
  return larger
}
