import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { permissionId, scopeOf } from '@farebox/contracts/permission-calls'
import type { WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import { keccak } from '../../wallet/keccak.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import type { PermissionState, PlannedPermission } from './planned-from.ts'

/** What the chain of a wallet says itself; amounts in atomic units. */
export interface ChainState {
  /** Of all live permissions. */
  readonly totalLeft: bigint
  /** What the token lets the contract take. */
  readonly allowance: bigint
  /** The permission that is changed; undefined: none is. */
  readonly permission: PermissionState | undefined
}

const CONTRACT = SPEND_PERMISSIONS_ADDRESS.toLowerCase()
/** `totalLeft(address,address)`. */
const TOTAL_LEFT = '0x44d13184'
/** `statusOf(bytes32)`. */
const STATUS_OF = '0xc7df14e2'
/** `isRecipient(bytes32,address)`. */
const IS_RECIPIENT = '0x1e4c9d09'
/** `allowance(address,address)` of ERC-20. */
const ALLOWANCE = '0xdd62ed3e'

type AskOne = (to: string, data: string) => Promise<readonly bigint[]>

/** Asks the wallet's chain, not the platform. Undefined: the contract or the token is not there, or nobody answers. */
export async function readChainState(
  { readChain }: Pick<Wallet, 'readChain'>,
  { address: owner, token: { address: token } }: Pick<WalletLimits, 'address' | 'token'>,
  permission: PlannedPermission | undefined,
): Promise<ChainState | undefined> {
  const ask: AskOne = async (to, data) =>
    wordsOf(await readChain?.('eth_call', [{ to, data }, 'latest']).catch(() => undefined))
  const [[totalLeft], [allowance], state] = await Promise.all([
    ask(CONTRACT, callOf(TOTAL_LEFT, owner, token)),
    ask(token, callOf(ALLOWANCE, owner, CONTRACT)),
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
): Promise<PermissionState | undefined> {
  const id = idOf(owner, permission)
  const recipients = permission.recipients.map(one => ask(CONTRACT, callOf(IS_RECIPIENT, id, one)))
  const [limit, cap, spent, expiry, nonce, listed] = await ask(CONTRACT, callOf(STATUS_OF, id))
  if (limit === undefined || cap === undefined || spent === undefined) return undefined
  if (expiry === undefined || nonce === undefined || listed === undefined) return undefined
  const takesRecipients = (await Promise.all(recipients)).every(([isOne]) => isOne === 1n)
  return { limit, spent, left: cap - spent, expiry, nonce, isListed: listed !== 0n, takesRecipients }
}

function idOf(owner: string, { spender, token, scope }: PlannedPermission): string {
  const word =
    typeof scope === 'string' ? hex(scope) : scopeOf(keccak, BigInt(scope.agentId), scope.capability)
  return permissionId(keccak, { owner: hex(owner), spender: hex(spender), token: hex(token), scope: word })
}

function callOf(selector: string, ...words: readonly string[]): string {
  return selector + words.map(word => word.slice(2).padStart(64, '0')).join('')
}

/** The words of an answer; none where it is no answer. */
function wordsOf(answer: unknown): readonly bigint[] {
  if (typeof answer !== 'string' || !/^0x(?:[0-9a-f]{64})+$/i.test(answer)) return []
  return (answer.slice(2).match(/.{64}/g) ?? []).map(word => BigInt(`0x${word}`))
}

/** What goes into an id is held to its form there; the type asks for the form alone. */
function hex(value: string): `0x${string}` {
  return `0x${value.slice(2)}`
}
