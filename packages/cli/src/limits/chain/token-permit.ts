import {
  DOMAIN_SEPARATOR_CALL,
  encodeNonces,
  PERMIT_TYPEHASH_CALL,
} from '@farebox/contracts/internal/calls/permission-views'
import type { Keccak } from '@farebox/contracts/permission-calls'
import type { SignedPermit } from '@farebox/contracts/permission-transactions'
import { permitDigest, permitTypeHash } from '@farebox/contracts/token-permit'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import type { OpenChain } from '../../chain/open-chain.ts'
import type { KeySigner } from '../../keys/paying-key.ts'
import { askView } from './read-permissions.ts'

/** The token's next permit of an owner. */
export interface NextPermit {
  readonly nonce: bigint
}

/**
 * The next permit of an owner, where the token takes EIP-2612 permits as they would be signed here; undefined where it
 * does not, or has another EIP-712 domain than our table of networks: what is signed under a wrong one is worth nothing.
 */
export async function findPermit(
  chain: OpenChain,
  hash: Keccak,
  owner: string,
): Promise<NextPermit | undefined> {
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
export function signPermit(
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
