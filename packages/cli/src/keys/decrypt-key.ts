import { createDecipheriv, timingSafeEqual } from 'node:crypto'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { deriveKey, macOf } from './derive-key.ts'
import type { Keystore } from './keystore.ts'

/** The private key of a keystore, 32 bytes, or undefined where the password is another one. */
export async function decryptKey(
  keccak256: EvmCrypto['keccak256'],
  keystore: Keystore,
  password: string,
): Promise<Uint8Array | undefined> {
  const { ciphertext, derivation, initialVector, mac, salt } = keystore
  const derived = await deriveKey(password, salt, derivation)
  if (!timingSafeEqual(macOf(keccak256, derived, ciphertext), mac)) return undefined
  const cipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), initialVector)
  const privateKey = Buffer.concat([cipher.update(ciphertext), cipher.final()])
  derived.fill(0)
  return privateKey
}
