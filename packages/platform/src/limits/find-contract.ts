import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import type { PlatformParts } from '../platform-parts.ts'

/** Finds the SpendPermissions contract on a chain. */
export interface PermissionsContract {
  /** The lower-case address; `undefined` when the chain has no code there, or the node did not answer. */
  find(): Promise<string | undefined>
}

/** How long the absence is cached: the contract may be deployed at any time, but it can never be removed. */
const ABSENT_FOR_MS = 30_000

/** Creates a finder that asks the node until the contract exists and remembers the result. */
export function createPermissionsContract({
  rpc,
  clock,
}: Pick<PlatformParts, 'rpc' | 'clock'>): PermissionsContract {
  const address = SPEND_PERMISSIONS_ADDRESS.toLowerCase()
  let isThere = false
  let askedMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> = Promise.resolve()

  async function ask(): Promise<void> {
    try {
      const code = await rpc.call('eth_getCode', [address, 'latest'])
      isThere = typeof code === 'string' && code.length > 2
    } catch {
      // A failed request says nothing about the contract, so the next call asks again.
      askedMs = Number.NEGATIVE_INFINITY
    }
  }

  return {
    async find() {
      if (!isThere && clock.nowMs() - askedMs >= ABSENT_FOR_MS) {
        askedMs = clock.nowMs()
        asking = ask()
      }
      await asking
      return isThere ? address : undefined
    },
  }
}
