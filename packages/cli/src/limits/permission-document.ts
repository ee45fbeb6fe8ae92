import { formatUsdc } from '@farebox/protocol/money/usdc'
import { leftOf } from './change-permission.ts'
import type { PermissionStatus } from '@farebox/contracts/internal/calls/permission-views'
import type { PermissionNames } from './chain/read-set-events.ts'

/** A permission as `--json` has it; amounts are decimal USDC, the end in Unix seconds. */
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
