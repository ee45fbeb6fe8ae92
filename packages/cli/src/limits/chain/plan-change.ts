import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import type { Keccak } from '@farebox/contracts/permission-calls'
import {
  encodeApprove,
  encodeMulticall,
  encodePermitToken,
  type SignedPermit,
} from '@farebox/contracts/permission-transactions'
import type { OpenChain } from '../../chain/open-chain.ts'
import type { KeySigner } from '../../keys/paying-key.ts'
import {
  DOMAIN_SEPARATOR_CALL,
  encodeNonces,
  PERMIT_TYPEHASH_CALL,
} from '@farebox/contracts/internal/calls/permission-views'
import { permitDigest, permitTypeHash } from '@farebox/contracts/token-permit'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { askView } from './read-permissions.ts'

export interface WantedChange {
  readonly callData: string
  /** The allowance of SpendPermissions in the token before the change, in atomic units. */
  readonly allowance: bigint
  /** What remains of all permissions after the change: the exact approval, never an unlimited one. */
  readonly wanted: bigint
}

export interface PermissionStep {
  readonly does: 'change' | 'approve' | 'change and permit'
  /** The address of the contract. */
  readonly to: string
  readonly callData: string
}

/** How the approval is changed: not at all, signed within the same transaction, or in a separate one before or after. */
export type ApprovalOrder = 'none' | 'permit' | 'approve first' | 'approve last'

/** How long a signed approval may wait for its block, in the chain's time. */
const PERMIT_SECONDS = 3_600n

/**
 * Chooses how to make a change in as few transactions as the token allows.
 *
 * A token without permits requires two transactions, and the process can end between them. The more restrictive one is then
 * done first, and the same command completes the other:
 *
 * - A larger approval goes first. The approved amount cannot be spent without a permission. In the other order, the new
 * permission could spend the approval of the other permissions.
 * - A smaller approval goes last. First the permission is reduced or revoked, as the user wanted; an approval that is
 * temporarily too large cannot be spent. In the other order, the permission would still have its old size and could spend,
 * from the smaller approval, what belongs to the others.
 *
 * An approval is changed from one amount to another without setting it to 0 first: the race of ERC-20 (SWC-114) requires a
 * spender that takes as much as it can, but SpendPermissions takes only what a permission has left, however often it is
 * approved.
 */
export async function chooseWay(
  chain: OpenChain,
  hash: Keccak,
  owner: string,
  { allowance, wanted }: Pick<WantedChange, 'allowance' | 'wanted'>,
): Promise<ApprovalOrder> {
  if (allowance === wanted) return 'none'
  if ((await findPermit(chain, hash, owner)) !== undefined) return 'permit'
  return wanted > allowance ? 'approve first' : 'approve last'
}

/** Returns the transactions of a change in order; signs the permit if there is one. */
export async function planSteps(
  at: { readonly chain: OpenChain; readonly hash: Keccak; readonly signer: KeySigner },
  change: WantedChange,
  way: ApprovalOrder,
  nowSeconds: number,
): Promise<readonly PermissionStep[]> {
  const { chain, hash, signer } = at
  const { callData, wanted } = change
  const alone: PermissionStep = { does: 'change', to: SPEND_PERMISSIONS_ADDRESS, callData }
  if (way === 'none') return [alone]
  const approve = approveStep(chain, wanted)
  if (way === 'approve last') return [alone, approve]
  // The nonce is read again, because time has passed since, for example for a password, and a permit may have been used.
  const permit = way === 'permit' ? await findPermit(chain, hash, signer.address) : undefined
  if (permit === undefined) return [approve, alone]
  const deadline = BigInt(nowSeconds) + PERMIT_SECONDS
  const signed = signPermit(chain, hash, signer, { value: wanted, nonce: permit.nonce, deadline })
  const both = encodeMulticall([encodePermitToken(signed), callData])
  return [{ does: 'change and permit', to: SPEND_PERMISSIONS_ADDRESS, callData: both }]
}

export function approveStep({ network }: Pick<OpenChain, 'network'>, amount: bigint): PermissionStep {
  return { does: 'approve', to: network.asset.address, callData: encodeApprove(amount) }
}

interface NextPermit {
  readonly nonce: bigint
}

/**
 * Returns the data of the owner's next permit if the token accepts EIP-2612 permits as signed here. Returns `undefined` if
 * it does not, or if its EIP-712 domain differs from our table of networks: a signature under a wrong domain is useless.
 */
async function findPermit(chain: OpenChain, hash: Keccak, owner: string): Promise<NextPermit | undefined> {
  const { address } = chain.network.asset
  const { domainSeparator } = createAuthorizationHasher(hash, chain.network)
  // The pending block is read, because a permit that is not in a block yet has also used its nonce.
  const ask = (call: string): Promise<string | undefined> => askView(chain, address, call, 'pending')
  const [separator, typeHash, nonce] = await Promise.all([
    ask(DOMAIN_SEPARATOR_CALL),
    ask(PERMIT_TYPEHASH_CALL),
    ask(encodeNonces(owner)),
  ])
  if (separator?.toLowerCase() !== toHex(domainSeparator)) return undefined
  if (typeHash?.toLowerCase() !== permitTypeHash(hash)) return undefined
  return nonce === undefined || !/^0x[0-9a-f]{64}$/i.test(nonce) ? undefined : { nonce: BigInt(nonce) }
}

/** Signs the allowance of SpendPermissions (EIP-2612). */
function signPermit(
  chain: Pick<OpenChain, 'network'>,
  hash: Keccak,
  signer: KeySigner,
  terms: { readonly value: bigint; readonly nonce: bigint; readonly deadline: bigint },
): SignedPermit {
  const { chainId, asset } = chain.network
  const { value, deadline } = terms
  const owner = signer.address.toLowerCase()
  const token = asset.address
  const digest = permitDigest(hash, { ...asset.domain, chainId, token, owner, ...terms })
  return { token, owner, value, deadline, signature: toHex(signer.signDigest(digest)) }
}
