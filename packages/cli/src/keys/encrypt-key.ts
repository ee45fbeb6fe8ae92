import { createCipheriv, randomBytes, randomUUID } from 'node:crypto'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { deriveKey, macOf } from './derive-key.ts'

/** What geth writes: about a second and 256 MB for each guess at the password. */
const SCRYPT = { kind: 'scrypt', n: 262_144, r: 8, p: 1 } as const

/**
 * Encrypts a private key of 32 bytes as the text of a keystore file (Web3 Secret Storage, version 3), which
 * geth, cast and MetaMask read.
 */
export async function encryptKey(
  crypto: Pick<EvmCrypto, 'keccak256' | 'addressOf'>,
  privateKey: Uint8Array,
  password: string,
): Promise<string> {
  const [salt, initialVector] = [randomBytes(32), randomBytes(16)]
  const derived = await deriveKey(password, salt, SCRYPT)
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), initialVector)
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()])
  const { n, r, p } = SCRYPT
  const keystore = {
    address: crypto.addressOf(privateKey).slice(2),
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: hex(ciphertext),
      cipherparams: { iv: hex(initialVector) },
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n, p, r, salt: hex(salt) },
      mac: hex(macOf(crypto.keccak256, derived, ciphertext)),
    },
    id: randomUUID(),
    version: 3,
  }
  derived.fill(0)
  return `${JSON.stringify(keystore, null, 2)}\n`
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
