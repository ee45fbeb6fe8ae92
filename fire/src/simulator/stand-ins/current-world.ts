import type { JsonOrigin } from '@farebox/payments/src/http/http-json'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Random } from '../seeded-random.ts'

/**
 * What the stand-ins of the machine's own modules reach for: those modules are imported, not passed, so this is
 * the one thing of a history that is not passed either. One history runs at a time.
 */
export interface CurrentWorld {
  /** Draws what would come from the system's source of randomness. */
  readonly random: Random
  readonly crypto: EvmCrypto
  /** Opens the way from a process to a host, both named by the URL. */
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
