import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonOrigin } from '@farebox/payments/src/http/http-json'
import { currentWorld } from './current-world.ts'

// Replaces the modules that use the machine: `node:crypto`, `node:events`, `node:http`, `prom-client`, the global
// `crypto`, and the two of `@farebox/payments` that open connections and load the curve.

export { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** A UUID from the history's randomness. */
export function randomUUID(): string {
  return currentWorld().random.uuid()
}

/** Bytes from the history's randomness. */
export function randomBytes(size: number): Buffer {
  return Buffer.from(currentWorld().random.hex(size).slice(2), 'hex')
}

/** `globalThis.crypto`. */
export const seededWebCrypto = {
  randomUUID,
  getRandomValues(bytes: Uint8Array): Uint8Array {
    bytes.set(randomBytes(bytes.length))
    return bytes
  },
}

/** The curve, whose loading would wait for the machine: it is loaded once. */
export function loadEvmCrypto(): Promise<EvmCrypto> {
  return Promise.resolve(currentWorld().crypto)
}

/** As above, only the hash. */
export function loadKeccak(): Promise<EvmCrypto['keccak256']> {
  return Promise.resolve(currentWorld().crypto.keccak256)
}

/** The pool of connections becomes the history's network. */
export function createJsonOrigin(url: string): JsonOrigin {
  return currentWorld().openOrigin(url)
}

/** The signals of histories count no listeners. */
export function setMaxListeners(): void {
  // There is nothing to set.
}

/**
 * Creates a server without connections, with the methods that our packages use. The real one is costly to create, and
 * its native part retains everything that its callbacks reach until the next full garbage collection.
 */
export function createServer() {
  const server = {
    maxConnections: 0,
    on: (): object => server,
    closeIdleConnections: () => undefined,
    closeAllConnections: () => undefined,
    close(closed?: () => void): object {
      // As with the real one, after the caller's code has run.
      if (closed !== undefined) process.nextTick(closed)
      return server
    },
  }
  return server
}

/** The metrics are not read. The names are called with `new`, which returns the result of its constructor. */
function createSilentMetric() {
  const nothing = (): void => undefined
  return { inc: nothing, set: nothing, observe: nothing, startTimer: () => nothing }
}

export {
  createSilentMetric as Counter,
  createSilentMetric as Gauge,
  createSilentMetric as Histogram,
  createSilentMetric as Registry,
  createSilentMetric as collectDefaultMetrics,
}
