import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import {
  createContractFollower,
  type ContractFollower,
  type FollowedContract,
  type FollowOptions,
} from '../contract-events/follow-contract.ts'
import { sharedFollowing, keepFollowing } from '../contract-events/keep-following.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { Background } from '../work/loop.ts'
import { PERMISSION_TOPICS, readPermissionLog, type PermissionEvent } from './permission-contract.ts'
import { forgetPermissionsAfter, storePermissionEvents } from './store-permission-events.ts'

type PermissionParts = Pick<
  PlatformParts,
  'database' | 'rpc' | 'clock' | 'log' | 'network' | 'settings' | 'crypto'
>

/**
 * Makes a follower of SpendPermissions. What is in the newest block counts at once, because owners who set or revoke a
 * permission want to see it; where the chain is rewritten, it is read again.
 */
export function createPermissionFollower(
  parts: PermissionParts,
  options: FollowOptions = {},
): ContractFollower {
  const { crypto, log } = parts
  const contract: FollowedContract<PermissionEvent> = {
    name: 'permissions',
    address: SPEND_PERMISSIONS_ADDRESS.toLowerCase(),
    topics: PERMISSION_TOPICS,
    confirmations: 0,
    read: entry => readPermissionLog(crypto, entry),
    async write(client, { events, rewrittenAfter }) {
      if (rewrittenAfter !== undefined) await forgetPermissionsAfter(client, rewrittenAfter)
      await storePermissionEvents(client, events, log)
    },
  }
  return createContractFollower(parts, contract, options)
}

/** Follows SpendPermissions, once it is on the chain. Any number of workers share the work by the database. */
export function startPermissions(parts: PermissionParts): Background {
  const follower = createPermissionFollower(parts, {
    ...sharedFollowing(parts),
    firstBlock: parts.settings.permissionsFirstBlock ?? 0,
  })
  return keepFollowing(parts, follower, { name: 'permissions', mayBeMissing: true })
}
