import { randomBytes, randomUUID } from './node-crypto.ts'

/** Stands in for `globalThis.crypto` in our packages. */
export const seededWebCrypto = {
  randomUUID,
  getRandomValues(bytes: Uint8Array): Uint8Array {
    bytes.set(randomBytes(bytes.length))
    return bytes
  },
}
