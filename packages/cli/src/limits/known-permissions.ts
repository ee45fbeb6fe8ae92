import type { PermissionStatus } from '@farebox/contracts/internal/calls/permission-views'
import { readChainSeconds, readIds, readPermissionStatus } from './chain/read-permissions.ts'
import { type PermissionNames, readSetEvents } from './chain/read-set-events.ts'
import { leftOf } from './change-permission.ts'
import { openKeptPermissions } from './kept-permissions.ts'
import type { OpenLimits } from './open-limits.ts'
import { formatUsdc } from '@farebox/protocol/money/usdc'

export interface KnownPermission extends PermissionNames, PermissionStatus {
  /** Counted from 1, in the order in which the permissions were first set. */
  readonly number: number
  /** The amount that it can still spend, in atomic units. */
  readonly left: bigint
  readonly state: 'allowed' | 'used up' | 'expired' | 'revoked'
}

export interface KnownPermissions {
  readonly permissions: readonly KnownPermission[]
  /** Ids of set permissions of which only the amounts are known, because the node keeps no logs from the beginning. */
  readonly unnamed: readonly string[]
  /** The chain's time in Unix seconds. */
  readonly chainSeconds: number
}

/** Reads the permissions: from the chain's logs if the node provides them, and from the records on this machine. */
export async function readKnown({ world, clock, chain, key }: OpenLimits): Promise<KnownPermissions> {
  const owner = key.address
  const kept = openKeptPermissions(world.home, chain.network.chainId, () => clock.nowMs())
  const [events, written, ids, chainSeconds] = await Promise.all([
    readSetEvents(chain, owner),
    kept.list(owner),
    readIds(chain, owner),
    readChainSeconds(chain),
  ])
  const byId = new Map<string, PermissionNames>()
  for (const names of [...(events ?? []), ...written]) if (!byId.has(names.id)) byId.set(names.id, names)
  const token = chain.network.asset.address
  const named = [...byId.values()].filter(names => names.token === token)
  const statuses = await Promise.all(named.map(({ id }) => readPermissionStatus(chain, id)))
  const permissions = named.flatMap((names, index) => {
    const status = statuses[index]
    // The record was written but the permission never set: the command was stopped before, or the chain was reset.
    return status === undefined || status.nonce === 0n ? [] : [{ ...names, ...status }]
  })
  return {
    permissions: permissions.map((one, index) => ({
      ...one,
      number: index + 1,
      left: leftOf(one, chainSeconds),
      state: stateOf(one, chainSeconds),
    })),
    unnamed: ids.filter(id => !byId.has(id)),
    chainSeconds,
  }
}

function stateOf(status: PermissionStatus, chainSeconds: number): KnownPermission['state'] {
  if (status.limit === 0n) return 'revoked'
  if (status.expiry <= BigInt(chainSeconds)) return 'expired'
  return status.cap === status.spent ? 'used up' : 'allowed'
}

/** The `--json` form of a permission; amounts are decimal USDC, the end is in Unix seconds. */
export function permissionDocument(
  permission: PermissionNames & PermissionStatus,
  chainSeconds: number,
): { readonly [name: string]: unknown } {
  const { id, agentId, capability, spender, token, recipients, limit, cap, spent, expiry } = permission
  return {
    id,
    agent_id: Number(agentId),
    capability,
    spender,
    token,
    recipients,
    limit: formatUsdc(limit),
    cap: formatUsdc(cap),
    spent: formatUsdc(spent),
    left: formatUsdc(leftOf(permission, chainSeconds)),
    expires_at: Number(expiry),
  }
}
