import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import type { PlatformParts } from '../platform-parts.ts'

/** Where SpendPermissions is, on a chain where it has been deployed. */
export interface PermissionsContract {
  /** Its lower-case address; undefined where the chain has no code there, or the node did not answer. */
  find(): Promise<string | undefined>
}

/** Somebody may deploy it any time, and nobody can remove it. */
const ABSENT_FOR_MS = 30_000

/** Asks the node until the contract is there, and then no more. */
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
      // A node that does not answer says nothing of the contract; the next question asks it again.
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
