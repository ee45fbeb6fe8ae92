import { formatUsdc } from '@farebox/protocol/money/usdc'
import { paintFor } from '../terminal/text.ts'
import {
  type ApprovalOrder,
  approveStep,
  chooseWay,
  planSteps,
  type WantedChange,
} from './chain/plan-change.ts'
import type { PermissionStatus } from '@farebox/contracts/internal/calls/permission-views'
import { type Approval, readTokenApproval } from './chain/read-permissions.ts'
import { sendStep } from './chain/send-step.ts'
import type { OpenLimits } from './open-limits.ts'
import type { KeySigner } from '../keys/paying-key.ts'

export interface ChangedPermission {
  readonly transactions: readonly string[]
  readonly approval: Approval
}

/** A change including how its approval is made, to which a person agrees. */
export interface PlannedChange extends WantedChange {
  readonly way: ApprovalOrder
}

/**
 * Plans a change without signing anything. The approval is set to what all permissions have left after the change, because
 * ERC-20 has one approval for an owner and a contract.
 *
 * @param before the state of the permission before the change
 * @param leftAfter what the permission has left after the change, in atomic units
 */
export async function planChange(
  { chain, crypto, key }: OpenLimits,
  change: {
    readonly callData: string
    readonly before: PermissionStatus
    readonly leftAfter: bigint
    readonly chainSeconds: number
  },
): Promise<PlannedChange> {
  const { callData, before, leftAfter, chainSeconds } = change
  const { allowance, totalLeft } = await readTokenApproval(chain, key.address, 'pending')
  const others = totalLeft - leftOf(before, chainSeconds)
  const wanted = (others > 0n ? others : 0n) + leftAfter
  const way = await chooseWay(chain, crypto, key.address, { allowance, wanted })
  return { callData, allowance, wanted, way }
}

/** Returns what a permission has left to spend now, in atomic units: zero when it is revoked or has ended. */
export function leftOf({ limit, cap, spent, expiry }: PermissionStatus, chainSeconds: number): bigint {
  return limit === 0n || expiry <= BigInt(chainSeconds) ? 0n : cap - spent
}

/** Sends the agreed transactions, then makes sure that the approval equals what remains of all permissions. */
export async function carryOut(
  limits: OpenLimits,
  signer: KeySigner,
  planned: PlannedChange,
): Promise<ChangedPermission> {
  const { chain, crypto: hash, clock } = limits
  const nowSeconds = Math.floor(clock.nowMs() / 1_000)
  const transactions: string[] = []
  for (const step of await planSteps({ chain, hash, signer }, planned, planned.way, nowSeconds)) {
    transactions.push(await sendStep(limits, signer, step))
  }
  const settled = await settleApproval(limits, signer, planned.wanted)
  return { ...settled, transactions: [...transactions, ...settled.transactions] }
}

/**
 * Sets the approval to what remains of all permissions when it differs: a spend happened in between, a permission ended, or
 * the token ignored the permit. More than the agreed amount is not approved; that is reported instead.
 *
 * @param agreed the maximum that may be approved, in atomic units
 */
export async function settleApproval(
  limits: OpenLimits,
  signer: KeySigner,
  agreed: bigint,
): Promise<ChangedPermission> {
  const { world, chain, key } = limits
  const approval = await readTokenApproval(chain, key.address, 'latest')
  const { allowance, totalLeft } = approval
  if (allowance === totalLeft) return { transactions: [], approval }
  if (totalLeft > agreed) {
    world.err.write(
      `  ${paintFor(world.err).yellow('!')} another permission was changed meanwhile: ` +
        `${formatUsdc(totalLeft, { decimals: 2 })} are left in all, more than you agreed to approve\n`,
    )
    return { transactions: [], approval }
  }
  const hash = await sendStep(limits, signer, approveStep(chain, totalLeft))
  return { transactions: [hash], approval: await readTokenApproval(chain, key.address, 'latest') }
}
