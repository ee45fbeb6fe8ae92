import { pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Derivation, Keystore } from './keystore.ts'

const runScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt)
const runPbkdf2 = promisify(pbkdf2)

/** The 32 bytes that a password stands for: the first half encrypts, the second proves (`macOf`). */
export async function deriveKey(
  password: string,
  salt: Uint8Array,
  derivation: Derivation,
): Promise<Uint8Array> {
  if (derivation.kind === 'pbkdf2') {
    return await runPbkdf2(password, salt, derivation.iterations, 32, 'sha256')
  }
  const { n, r, p } = derivation
  // OpenSSL holds N below 2^(16 r), as RFC 7914 does; old wallets have r 1 and N 2^18, as the definition's own test.
  if (Math.log2(n) >= 16 * r) return await runForeignScrypt(password, salt, derivation)
  // Node's own limit of 32 MB is below every wallet; what a keystore may ask was checked when it was read.
  return await runScrypt(password, salt, 32, { N: n, r, p, maxmem: 128 * r * (n + p + 2) })
}

async function runForeignScrypt(
  password: string,
  salt: Uint8Array,
  { n, r, p }: Extract<Derivation, { kind: 'scrypt' }>,
): Promise<Uint8Array> {
  const wasm = await import('hash-wasm')
  const options = { costFactor: n, blockSize: r, parallelism: p, hashLength: 32 }
  return await wasm.scrypt({ ...options, password, salt, outputType: 'binary' })
}

/** The proof that password and ciphertext belong together. */
export function macOf(
  keccak256: EvmCrypto['keccak256'],
  derived: Uint8Array,
  ciphertext: Keystore['ciphertext'],
): Uint8Array {
  return keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]))
}
