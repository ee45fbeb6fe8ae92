import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { PERMIT_TYPES, type SignedPermit } from '@farebox/contracts/permission-transactions'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { concatBytes, fromHex, toHex } from '@farebox/payments/internal/crypto/bytes'
import type { OpenChain } from '../../chain/open-chain.ts'
import { encodeCall, hexWord, topicOf, uintWord, type Hash } from '../../chain/encode-call.ts'
import type { KeySigner } from '../../keys/paying-key.ts'
import { askView } from './read-permissions.ts'

/** The token's next permit of an owner. */
export interface NextPermit {
  readonly nonce: bigint
}

/** The struct of EIP-2612. */
const PERMIT = `Permit(${PERMIT_TYPES.Permit.map(({ type, name }) => `${type} ${name}`).join(',')})`

/**
 * The next permit of an owner, where the token takes EIP-2612 permits as they would be signed here; undefined where it
 * does not, or has another EIP-712 domain than our table of networks: what is signed under a wrong one is worth nothing.
 */
export async function findPermit(
  chain: OpenChain,
  hash: Hash,
  owner: string,
): Promise<NextPermit | undefined> {
  const { address } = chain.network.asset
  const { domainSeparator } = createAuthorizationHasher(hash, chain.network)
  // A permit that is on its way has used its nonce.
  const ask = (signature: string, parameters: readonly Uint8Array[] = []): Promise<string | undefined> =>
    askView(chain, address, encodeCall(hash, signature, parameters), 'pending')
  const [separator, typeHash, nonce] = await Promise.all([
    ask('DOMAIN_SEPARATOR()'),
    ask('PERMIT_TYPEHASH()'),
    ask('nonces(address)', [hexWord(owner)]),
  ])
  if (separator?.toLowerCase() !== toHex(domainSeparator)) return undefined
  if (typeHash?.toLowerCase() !== topicOf(hash, PERMIT)) return undefined
  return nonce === undefined || !/^0x[0-9a-f]{64}$/i.test(nonce) ? undefined : { nonce: BigInt(nonce) }
}

/** Signs the allowance of SpendPermissions (EIP-2612). */
export function signPermit(
  chain: Pick<OpenChain, 'network'>,
  hash: Hash,
  signer: KeySigner,
  terms: { readonly value: bigint; readonly nonce: bigint; readonly deadline: bigint },
): SignedPermit {
  const { keccak256 } = hash
  const { value, nonce, deadline } = terms
  const owner = signer.address.toLowerCase()
  const struct = concatBytes(
    fromHex(topicOf(hash, PERMIT)),
    ...[owner, SPEND_PERMISSIONS_ADDRESS].map(hexWord),
    ...[value, nonce, deadline].map(uintWord),
  )
  const { domainSeparator } = createAuthorizationHasher(hash, chain.network)
  const digest = keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator, keccak256(struct)))
  const { address: token } = chain.network.asset
  return { token, owner, value, deadline, signature: toHex(signer.signDigest(digest)) }
}
