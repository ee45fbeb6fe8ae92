import type { JsonOrigin } from '@farebox/payments/src/http/http-json'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Random } from '../seeded-random.ts'

/**
 * The state behind the replacements of the machine's modules: those modules are imported, not passed, so this is the
 * only state of a history that is not passed either. One history runs at a time.
 */
export interface CurrentWorld {
  /** Draws the bytes of the system's source of randomness. */
  readonly random: Random
  readonly crypto: EvmCrypto
  /** Opens the route from a process to a host, both named by the URL. */
  openOrigin(url: string): JsonOrigin
}

let current: CurrentWorld | undefined

/** Enters a world; undefined leaves it. */
export function enterWorld(world: CurrentWorld | undefined): void {
  current = world
}

/** The world of the history that runs now. */
export function currentWorld(): CurrentWorld {
  if (current === undefined) throw new Error('no history is running')
  return current
}
