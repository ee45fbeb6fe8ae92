import { asHex } from '@farebox/payments/internal/crypto/bytes'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { encodeApprove, encodeRevoke, encodeSet } from '@farebox/contracts/permission-transactions'
import type { SpendPermissionView, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { expectedOf, type PlannedFrom } from './chain/planned-from.ts'
import type { LimitTerms } from './check-limit-terms.ts'

/** One transaction of a change. */
export interface ChangeStep {
  readonly to: string
  /** `0x` hex. */
  readonly data: string
  /** Its purpose, as shown while the wallet prompts for it. */
  readonly words: string
}

/**
 * How the approval is changed to the remaining amount of all permissions: not at all, signed within the transaction of the
 * change, or by a separate transaction. A growing approval is sent before the change and a shrinking one after it. Stopping
 * between the two then takes nothing from other permissions, and leaves no amount that can be spent without permission.
 */
export type ApprovalMethod = 'none' | 'permit' | 'approve first' | 'approve last'

/** A change of limits before anything is signed. */
export interface LimitChange {
  /** Undefined for a change of an approval to zero, which needs no precondition. */
  readonly from: PlannedFrom | undefined
  readonly change: ChangeStep | undefined
  readonly way: ApprovalMethod
  /** The exact approval after the change, in atomic units. */
  readonly approval: bigint
  /** The approval before the change, in atomic units. */
  readonly approvalNow: bigint
  readonly approve: ChangeStep
}

/** The agent, capability and account that a permission is for. */
export interface PermissionFor {
  readonly agentId: number
  readonly capability: string
  /** Lower-case address. */
  readonly spender: string
}

/** Plans to set or change a permission; the amount already spent stays spent. */
export function planSet(
  limits: WalletLimits,
  { agentId, capability, spender }: PermissionFor,
  terms: LimitTerms,
): LimitChange {
  const before = limits.permissions.find(
    one =>
      one.agent_id === String(agentId) &&
      one.capability === capability &&
      one.spender === spender &&
      one.token === limits.token.address,
  )
  const recipients = before?.recipients ?? []
  const data = encodeSet({
    owner: asHex(limits.address),
    spender: asHex(spender),
    token: asHex(limits.token.address),
    agentId: BigInt(agentId),
    capability,
    ...terms,
    recipients: recipients.map(asHex),
  })
  const left = terms.cap - BigInt(before?.spent ?? 0)
  const permission = {
    spender,
    token: limits.token.address,
    scope: { agentId, capability },
    recipients,
    isCounted: countedOf(before) > 0n,
    expected: expectedOf(before),
  }
  const from = { permission, onlyTakesBack: false }
  return plan(limits, { data, words: 'the limits' }, { before, leftAfter: left > 0n ? left : 0n, from })
}

/** Plans to end a permission immediately. */
export function planRevoke(limits: WalletLimits, permission: SpendPermissionView): LimitChange {
  const { spender, token, scope } = permission
  const data = encodeRevoke({ spender: asHex(spender), token: asHex(token), scope: asHex(scope) })
  const own = token === limits.token.address ? permission : undefined
  const planned = {
    spender,
    token,
    scope,
    recipients: [],
    isCounted: countedOf(own) > 0n,
    expected: expectedOf(permission),
  }
  const from = { permission: planned, onlyTakesBack: true }
  return plan(limits, { data, words: 'the revocation' }, { before: own, leftAfter: 0n, from })
}

/** Plans to set the approval to exactly the remaining amount of all permissions. */
export function planExact(limits: WalletLimits): LimitChange {
  const approval = BigInt(limits.total_left)
  const from = { permission: undefined, onlyTakesBack: true }
  const planned = plan(limits, undefined, { before: undefined, leftAfter: 0n, from })
  return { ...planned, approval, way: 'approve last', change: undefined }
}

/** Plans the transaction that revokes an approval of any spender. */
export function planZero(limits: WalletLimits, spender: string): LimitChange {
  const approve = {
    to: limits.token.address,
    data: encodeApprove(0n, spender),
    words: 'setting the approval to zero',
  }
  return { ...planExact(limits), approve, from: undefined }
}

/** The number of prompts that a wallet shows for a change; the test wallet shows none. */
export function countPrompts({ change, way }: Pick<LimitChange, 'change' | 'way'>): number {
  return (change === undefined ? 0 : 1) + (way === 'none' ? 0 : 1)
}

function plan(
  limits: WalletLimits,
  change: Omit<ChangeStep, 'to'> | undefined,
  made: {
    readonly before: SpendPermissionView | undefined
    readonly leftAfter: bigint
    readonly from: Pick<PlannedFrom, 'permission' | 'onlyTakesBack'>
  },
): LimitChange {
  const { before, leftAfter, from } = made
  const { allowance, total_left: totalLeft, permit, token } = limits
  const others = BigInt(totalLeft) - countedOf(before)
  const approval = (others > 0n ? others : 0n) + leftAfter
  const approvalNow = BigInt(allowance)
  return {
    from: { ...from, totalLeft: BigInt(totalLeft), allowance: approvalNow },
    change: change && { ...change, to: SPEND_PERMISSIONS_ADDRESS.toLowerCase() },
    way:
      approvalNow === approval
        ? 'none'
        : permit !== null
          ? 'permit'
          : approval > approvalNow
            ? 'approve first'
            : 'approve last',
    approval,
    approvalNow,
    approve: approveStep(token.address, approval),
  }
}

/** The change with its approval replaced by the amount that is now left. */
export function withApproval(change: LimitChange, approval: bigint, approvalNow: bigint): LimitChange {
  const { way, approve } = change
  return {
    ...change,
    way: approval === approvalNow ? 'none' : way === 'none' ? 'approve last' : way,
    approval,
    approvalNow,
    approve: approveStep(approve.to, approval),
  }
}

function approveStep(token: string, approval: bigint): ChangeStep {
  return { to: token, data: encodeApprove(approval), words: 'the approval' }
}

/** The contribution of a permission to the total: zero once it has expired or was revoked. */
function countedOf(permission: SpendPermissionView | undefined): bigint {
  return permission?.state === 'active' ? BigInt(permission.left) : 0n
}
