import { mintSecret } from '@farebox/facilitator/src/secrets/secret-form'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { createRandom } from '../seeded-random.ts'
import { enterWorld } from '../stand-ins/current-world.ts'
import { remember } from '../stand-ins/pure-functions.ts'
import { declare, makeCast } from '../workload/cast.ts'

/** The parts shared by all histories, created once. */
export type Stage = ReturnType<typeof setStage>

/** Creates the stage. The secret is also drawn from a seed, so that it is the same on every machine. */
export function setStage(crypto: EvmCrypto) {
  const network = findNetwork('eip155:31337')
  if (network === undefined) throw new Error('the local network is not in the table')
  enterWorld({
    random: createRandom(0),
    crypto,
    openOrigin() {
      throw new Error('no history is running')
    },
  })
  const stage = {
    crypto,
    network,
    hasher: createAuthorizationHasher(crypto, network),
    cast: makeCast(crypto),
    /** The same object for the same text, so that the declaration is checked and compiled once. */
    declare: remember(declare, (...given) => given.join(' ')),
    /** The agents' FACILITATOR_SECRET. */
    secret: mintSecret(),
  }
  enterWorld(undefined)
  return stage
}
