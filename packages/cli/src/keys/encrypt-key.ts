import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Derivation, Keystore } from './keystore.ts'
import { promisify } from 'node:util'

/** The parameters of geth: about a second and 256 MB for each guess at the password. */
const SCRYPT = { kind: 'scrypt', n: 262_144, r: 8, p: 1 } as const

/**
 * Encrypts a private key of 32 bytes as the text of a keystore file (Web3 Secret Storage, version 3), which geth, cast and
 * MetaMask can read.
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

/** Returns the private key of a keystore, 32 bytes, or `undefined` when the password is wrong. */
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

const runScrypt = promisify<string, Uint8Array, number, object, Buffer>(scrypt)
const runPbkdf2 = promisify(pbkdf2)

/** Derives 32 bytes from a password: the first half encrypts, the second half authenticates (`macOf`). */
export async function deriveKey(
  password: string,
  salt: Uint8Array,
  derivation: Derivation,
): Promise<Uint8Array> {
  if (derivation.kind === 'pbkdf2') {
    return await runPbkdf2(password, salt, derivation.iterations, 32, 'sha256')
  }
  const { n, r, p } = derivation
  // OpenSSL requires N below 2^(16 r), as RFC 7914 does; old wallets and the definition's own test vector have r 1 and N
  // 2^18.
  if (Math.log2(n) >= 16 * r) return await runForeignScrypt(password, salt, derivation)
  // Node's default limit of 32 MB is too low for every wallet; the cost of the keystore was checked when it was read.
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

export function macOf(
  keccak256: EvmCrypto['keccak256'],
  derived: Uint8Array,
  ciphertext: Keystore['ciphertext'],
): Uint8Array {
  return keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]))
}
