import { asHex } from '@farebox/payments/internal/crypto/bytes'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import {
  encodeAllowance,
  encodeIsRecipient,
  encodeStatusOf,
  encodeTotalLeft,
  readStatusOf,
  readWords,
} from '@farebox/contracts/internal/calls/permission-views'
import { permissionId, scopeOf } from '@farebox/contracts/permission-calls'
import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { keccak } from '../../wallet/keccak.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import type { OnChainPermission, PlannedPermission } from './planned-from.ts'

/** The limits of a wallet as reported by its own chain; amounts in atomic units. */
export interface OnChainLimits {
  /** The remaining amount of all live permissions. */
  readonly totalLeft: bigint
  /** The amount that the token lets the contract move. */
  readonly allowance: bigint
  /** The permission that is being changed; undefined when none is. */
  readonly permission: OnChainPermission | undefined
}

const CONTRACT = SPEND_PERMISSIONS_ADDRESS.toLowerCase()

type AskOne = (to: string, data: string) => Promise<unknown>

/**
 * Reads the state from the wallet's chain instead of the platform. Undefined when the contract or the token does not exist
 * there, or when the chain does not answer.
 */
export async function readChainState(
  { readChain }: Pick<Wallet, 'readChain'>,
  { address: owner, token: { address: token } }: Pick<WalletLimits, 'address' | 'token'>,
  permission: PlannedPermission | undefined,
): Promise<OnChainLimits | undefined> {
  const ask: AskOne = async (to, data) =>
    await readChain?.('eth_call', [{ to, data }, 'latest']).catch(() => undefined)
  const [[totalLeft], [allowance], state] = await Promise.all([
    ask(CONTRACT, encodeTotalLeft(owner, token)).then(readWords),
    ask(token, encodeAllowance(owner)).then(readWords),
    permission && readPermission(ask, owner, permission),
  ])
  if (totalLeft === undefined || allowance === undefined) return undefined
  return permission !== undefined && state === undefined
    ? undefined
    : { totalLeft, allowance, permission: state }
}

async function readPermission(
  ask: AskOne,
  owner: string,
  permission: PlannedPermission,
): Promise<OnChainPermission | undefined> {
  const id = idOf(owner, permission)
  const [status, ...recipients] = await Promise.all([
    ask(CONTRACT, encodeStatusOf(id)).then(readStatusOf),
    ...permission.recipients.map(one => ask(CONTRACT, encodeIsRecipient(id, one)).then(readWords)),
  ])
  if (status === undefined) return undefined
  const takesRecipients = recipients.every(([isOne]) => isOne === 1n)
  return { ...status, left: status.cap - status.spent, takesRecipients }
}

function idOf(owner: string, { spender, token, scope }: PlannedPermission): string {
  const word =
    typeof scope === 'string' ? asHex(scope) : scopeOf(keccak, BigInt(scope.agentId), scope.capability)
  return permissionId(keccak, {
    owner: asHex(owner),
    spender: asHex(spender),
    token: asHex(token),
    scope: word,
  })
}
