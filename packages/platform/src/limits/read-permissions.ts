import type { PermissionState, SpendPermissionView } from '@farebox/platform-api/limits/wallet-limits'
import type { PlatformParts } from '../platform-parts.ts'
import { readAgentNames } from './read-agent-names.ts'

/** The most permissions of one owner that are returned. */
const MOST_PERMISSIONS = 200

interface PermissionColumns {
  readonly permission_id: string
  readonly spender: string
  readonly token: string
  readonly scope: string
  readonly nonce: string
  readonly agent_id: string
  readonly capability: string
  readonly spend_limit: string
  readonly cap: string
  readonly expiry: string
  readonly recipients: readonly string[]
  readonly transaction: string
  readonly set_at: Date
  readonly spent: string
  readonly revoked_at: Date | null
  readonly revoked_nonce: string | null
}

/**
 * All permissions that an owner ever set, in their state at the newest block that was read: active ones first, then the
 * newest.
 *
 * @param owner lower-case address
 * @param nowSeconds the time used to decide whether a permission has expired
 */
export async function readPermissions(
  parts: Pick<PlatformParts, 'database'>,
  owner: string,
  nowSeconds: number,
): Promise<readonly SpendPermissionView[]> {
  const rows = await parts.database.query<PermissionColumns>(
    'permissions-of-owner',
    `with newest as (
       select distinct on (permission_id) * from permission_events where owner = $1 and kind = 'set'
       order by permission_id, block_number desc, log_index desc
     )
     select n.permission_id, n.spender, n.token, n.scope, n.nonce, n.agent_id, n.capability, n.spend_limit, n.cap,
       n.expiry, n.recipients, n.transaction, n.block_at as set_at, s.spent, r.block_at as revoked_at,
       r.nonce as revoked_nonce
     from newest n
     cross join lateral (
       select coalesce(sum(amount), 0) as spent from permission_events
       where permission_id = n.permission_id and kind = 'spent'
     ) s
     left join lateral (
       select block_at, nonce from permission_events
       where permission_id = n.permission_id and kind = 'revoked'
         and (block_number, log_index) > (n.block_number, n.log_index)
       order by block_number desc, log_index desc limit 1
     ) r on true
     order by r.block_at is null and n.expiry > $2 and n.cap > s.spent desc, n.block_number desc, n.log_index desc
     limit ${MOST_PERMISSIONS}`,
    [owner, nowSeconds],
  )
  const names = await readAgentNames(
    parts,
    rows.map(row => row.agent_id),
  )
  return rows.map(row => toView(row, names.get(row.agent_id) ?? null, nowSeconds))
}

function toView(row: PermissionColumns, agentName: string | null, nowSeconds: number): SpendPermissionView {
  const left = row.revoked_at === null ? BigInt(row.cap) - BigInt(row.spent) : 0n
  return {
    id: row.permission_id,
    spender: row.spender,
    token: row.token,
    scope: row.scope,
    agent_id: row.agent_id,
    agent_name: agentName,
    capability: row.capability,
    limit: row.spend_limit,
    cap: row.cap,
    spent: row.spent,
    left: left.toString(),
    expires_at: Number(row.expiry),
    recipients: [...row.recipients],
    state: stateOf(row, left, nowSeconds),
    nonce: Number(row.revoked_nonce ?? row.nonce),
    set_at: seconds(row.set_at),
    set_transaction: row.transaction,
    revoked_at: row.revoked_at === null ? null : seconds(row.revoked_at),
  }
}

function stateOf(row: PermissionColumns, left: bigint, nowSeconds: number): PermissionState {
  if (row.revoked_at !== null) return 'revoked'
  if (Number(row.expiry) <= nowSeconds) return 'expired'
  return left === 0n ? 'used-up' : 'active'
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}
