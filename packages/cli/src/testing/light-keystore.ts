import { createCipheriv, randomBytes } from 'node:crypto'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { deriveKey, macOf } from '../keys/encrypt-key.ts'

/** Geth's "light" cost: a hundredth of the time that a real wallet takes to open. */
const LIGHT = { kind: 'scrypt', n: 4_096, r: 8, p: 1 } as const

/** A keystore file as another program might have written it, cheap to open. */
export async function lightKeystore(
  crypto: EvmCrypto,
  privateKey: string,
  password: string,
): Promise<string> {
  const [key, salt, initialVector] = [
    Buffer.from(privateKey.slice(2), 'hex'),
    randomBytes(32),
    randomBytes(16),
  ]
  const derived = await deriveKey(password, salt, LIGHT)
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), initialVector)
  const ciphertext = Buffer.concat([cipher.update(key), cipher.final()])
  const { n, r, p } = LIGHT
  return JSON.stringify({
    version: 3,
    address: crypto.addressOf(key).slice(2),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: initialVector.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n, r, p, salt: salt.toString('hex') },
      mac: Buffer.from(macOf(crypto.keccak256, derived, ciphertext)).toString('hex'),
    },
  })
}
