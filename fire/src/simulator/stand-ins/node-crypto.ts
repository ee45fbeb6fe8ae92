import { createHash as createRealHash } from 'node:crypto'
import { currentWorld } from './current-world.ts'

export { createHmac, timingSafeEqual } from 'node:crypto'

// Stands in for `node:crypto` in our packages: what is random there comes from the seed here, and what is hashed
// again and again, the one secret of all histories, is hashed once.

const MOST_KEPT = 100

/** As the real one, for what is hashed in one piece of text. */
export const createHash = rememberHashes()

/** A UUID of the history. */
export function randomUUID(): string {
  return currentWorld().random.uuid()
}

/** Bytes of the history. */
export function randomBytes(size: number): Buffer {
  return Buffer.from(currentWorld().random.hex(size).slice(2), 'hex')
}

interface TextHash {
  update(text: string): { digest(encoding?: 'hex'): Buffer | string }
}

function rememberHashes(): (algorithm: string) => TextHash {
  const known = new Map<string, Buffer>()
  return algorithm => ({
    update: text => ({
      digest(encoding) {
        const name = `${algorithm} ${text}`
        const hash = known.get(name) ?? createRealHash(algorithm).update(text).digest()
        if (known.size >= MOST_KEPT) known.clear()
        known.set(name, hash)
        return encoding === undefined ? Buffer.from(hash) : hash.toString(encoding)
      },
    }),
  })
}
