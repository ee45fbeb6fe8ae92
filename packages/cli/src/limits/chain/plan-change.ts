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
  /** Of SpendPermissions, in the token, before; atomic units. */
  readonly allowance: bigint
  /** What is left of all permissions once the change is done: the exact approval, never an endless one. */
  readonly wanted: bigint
}

export interface PermissionStep {
  readonly does: 'change' | 'approve' | 'change and permit'
  /** Address of the contract. */
  readonly to: string
  readonly callData: string
}

/** How the approval is made: not at all, signed within the same transaction, or by one of its own, before or behind. */
export type ApprovalOrder = 'none' | 'permit' | 'approve first' | 'approve last'

/** How long a signed approval may wait for its block, by the chain's time. */
const PERMIT_SECONDS = 3_600n

/**
 * How a change is made in as few transactions as the token allows.
 *
 * Where the token takes no permit there are two, and a process can end between them. Then the side that bounds more must
 * be done, and the same command finishes the other:
 *
 * - An approval that grows goes first. What is approved and not permitted can be spent by nobody. The other way round the
 *   new permission would spend the approval that belongs to the others.
 * - An approval that shrinks goes last. The permission is lowered or revoked, which is what the user wanted; an approval
 *   that is too large for a while can be spent by nobody. The other way round the permission would still be as large as
 *   it was, and take from a smaller approval what belongs to the others.
 *
 * An approval is changed from one amount to another without 0 between: the race of ERC-20 (SWC-114) needs a spender that
 * takes what it can, and SpendPermissions takes only what a permission has left, however often it is approved.
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

/** The transactions of a change, in their order; signs the permit where there is one. */
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
  // Asked for again: a password may have been typed since, and a permit may have been used meanwhile.
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
 * The next permit of an owner, where the token takes EIP-2612 permits as they would be signed here; undefined where it
 * does not, or has another EIP-712 domain than our table of networks: what is signed under a wrong one is worth nothing.
 */
async function findPermit(chain: OpenChain, hash: Keccak, owner: string): Promise<NextPermit | undefined> {
  const { address } = chain.network.asset
  const { domainSeparator } = createAuthorizationHasher(hash, chain.network)
  // A permit that is on its way has used its nonce.
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
