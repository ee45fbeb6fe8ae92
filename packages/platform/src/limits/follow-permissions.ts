import type pg from 'pg'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { describeError } from '@farebox/server/log'
import {
  type ContractFollower,
  createContractFollower,
  type FollowedContract,
  type FollowContractOptions,
} from '../contract-events/follow-contract.ts'
import { keepFollowing, sharedFollowing } from '../contract-events/keep-following.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { unlessRefused } from '../storage/unless-refused.ts'
import type { Background } from '../work/loop.ts'
import { PERMISSION_TOPICS, type PermissionEvent, readPermissionLog } from './permission-contract.ts'

type PermissionParts = Pick<
  PlatformParts,
  'database' | 'rpc' | 'clock' | 'log' | 'network' | 'settings' | 'crypto'
>

/**
 * Creates a follower of SpendPermissions. Events count without confirmations, because owners who set or revoke a permission
 * want to see it at once; after a rewrite of the chain they are read again.
 */
export function createPermissionFollower(
  parts: PermissionParts,
  options: FollowContractOptions = {},
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

/** Follows SpendPermissions once it is on the chain. Any number of workers share the work through the database. */
export function startPermissions(parts: PermissionParts): Background {
  const follower = createPermissionFollower(parts, {
    ...sharedFollowing(parts),
    firstBlock: parts.settings.permissionsFirstBlock ?? 0,
  })
  return keepFollowing(parts, follower, { name: 'permissions', mayBeMissing: true })
}

/** Deletes events from blocks after this one. */
async function forgetPermissionsAfter(client: pg.PoolClient, blockNumber: number): Promise<void> {
  await client.query('delete from permission_events where block_number > $1', [blockNumber])
}

/**
 * Stores events, in the caller's transaction. An event that is already stored is not changed. An event that the database
 * refuses is skipped and logged, so that the others are stored.
 */
async function storePermissionEvents(
  client: pg.PoolClient,
  events: readonly PermissionEvent[],
  log: PlatformParts['log'],
): Promise<void> {
  for (const event of events) {
    const refusal = await unlessRefused(client, () => storeEvent(client, event))
    if (refusal === undefined) continue
    const { permissionId: permission, transaction } = event
    log.error('left out a permission event that the database refuses', {
      permission,
      transaction,
      error: describeError(refusal),
    })
  }
}

async function storeEvent(client: pg.PoolClient, event: PermissionEvent): Promise<void> {
  const set = event.kind === 'set' ? event : undefined
  const spent = event.kind === 'spent' ? event : undefined
  const named = event.kind === 'spent' ? undefined : event
  await client.query(
    `insert into permission_events (block_number, log_index, kind, permission_id, owner, spender, token, scope, nonce,
       agent_id, capability, spend_limit, cap, expiry, recipients, recipient, amount, ref_prefix, transaction, block_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
     on conflict (block_number, log_index) do nothing`,
    [
      event.blockNumber,
      event.logIndex,
      event.kind,
      event.permissionId,
      event.owner,
      event.spender,
      event.token,
      named?.scope ?? null,
      named?.nonce.toString() ?? null,
      set?.agentId.toString() ?? null,
      set?.capability ?? null,
      set?.limit.toString() ?? null,
      set?.cap.toString() ?? null,
      set?.expiry.toString() ?? null,
      set?.recipients ?? null,
      spent?.recipient ?? null,
      spent?.amount.toString() ?? null,
      spent?.refPrefix ?? null,
      event.transaction,
      new Date(event.blockAtMs),
    ],
  )
}
