import { concatBytes, toHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { KeySigner } from './paying-key.ts'

/** Signs a text as wallets do (`personal_sign`, EIP-191). */
export function signText(
  { keccak256 }: Pick<EvmCrypto, 'keccak256'>,
  signer: Pick<KeySigner, 'signDigest'>,
  text: string,
): string {
  const bytes = new TextEncoder().encode(text)
  const prefix = new TextEncoder().encode(`\u0019Ethereum Signed Message:\n${bytes.length}`)
  return toHex(signer.signDigest(keccak256(concatBytes(prefix, bytes))))
}
