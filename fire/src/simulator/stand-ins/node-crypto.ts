import { currentWorld } from './current-world.ts'

export { createHash, timingSafeEqual } from 'node:crypto'

// Stands in for `node:crypto` in our packages: what is random there comes from the seed here.

/** A UUID of the history. */
export function randomUUID(): string {
  return currentWorld().random.uuid()
}

/** Bytes of the history. */
export function randomBytes(size: number): Buffer {
  return Buffer.from(currentWorld().random.hex(size).slice(2), 'hex')
}
