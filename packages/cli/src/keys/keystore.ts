import { printable } from '@farebox/conformance/internal/printable'
import { isObject, objectOf, parseJson } from '@farebox/protocol/internal/guards/json'
import { CommandError } from '../command-error.ts'

/** A key encrypted with a password: Web3 Secret Storage, version 3, the format of geth, cast and MetaMask. */
export interface Keystore {
  /** Lower case with 0x; `undefined` when the file does not contain it. Unverified until the key is decrypted. */
  readonly address: string | undefined
  readonly derivation: Derivation
  readonly salt: Uint8Array
  /** 16 bytes. */
  readonly initialVector: Uint8Array
  /** 32 bytes. */
  readonly ciphertext: Uint8Array
  /** 32 bytes: keccak-256 over half of the derived key and the ciphertext. */
  readonly mac: Uint8Array
}

/** How the password is converted to a key of 32 bytes. */
export type Derivation =
  | { readonly kind: 'scrypt'; readonly n: number; readonly r: number; readonly p: number }
  | { readonly kind: 'pbkdf2'; readonly iterations: number }

/** Twice the memory of geth (N 262,144, r 8): a file must not decide how much of the machine it uses. */
const MAX_SCRYPT_MEMORY_BYTES = 512 * 1_048_576
/** The work is memory times p; the limit is eight times the work of geth. */
const MAX_SCRYPT_WORK_BYTES = 2_048 * 1_048_576
/** Ten times the highest count in use. */
const MAX_PBKDF2_ITERATIONS = 10_000_000
/** Much more than a keystore, which has half a kilobyte. */
const MAX_KEYSTORE_CHARACTERS = 65_536

/**
 * Reads a keystore file and validates everything in it, in particular its cost.
 *
 * @param where the name of the file in messages
 */
export function readKeystore(text: string, where: string): Keystore {
  const refuse = (reason: string): CommandError =>
    new CommandError(
      `${where}: ${reason}`,
      'a keystore is a file of `farebox wallet new`, of geth or of cast',
    )
  const file = text.length > MAX_KEYSTORE_CHARACTERS ? undefined : parseJson(text)
  if (!isObject(file)) throw refuse('is not a keystore: it is not a JSON object of a keystore’s size')
  if (file['version'] !== 3) throw refuse('is not a keystore of version 3')
  const crypto = objectOf(file['crypto'] ?? file['Crypto'])
  const parameters = crypto['kdfparams']
  if (!isObject(parameters)) throw refuse('has no crypto.kdfparams')
  if (crypto['cipher'] !== 'aes-128-ctr') {
    throw refuse(`crypto.cipher must be "aes-128-ctr", got ${shown(crypto['cipher'])}`)
  }
  const bytes = (value: unknown, name: string, least: number, most = least): Uint8Array => {
    const found = hexBytes(value)
    if (found !== undefined && found.length >= least && found.length <= most) return found
    const size = least === most ? String(least) : `${least} to ${most}`
    throw refuse(`${name} must be ${size} bytes of hex`)
  }
  const derivation = readDerivation(crypto['kdf'], parameters)
  if (typeof derivation === 'string') throw refuse(derivation)
  return {
    address: readAddress(file['address']),
    derivation,
    salt: bytes(parameters['salt'], 'crypto.kdfparams.salt', 8, 1_024),
    initialVector: bytes(objectOf(crypto['cipherparams'])['iv'], 'crypto.cipherparams.iv', 16),
    ciphertext: bytes(crypto['ciphertext'], 'crypto.ciphertext', 32),
    mac: bytes(crypto['mac'], 'crypto.mac', 32),
  }
}

function readDerivation(kind: unknown, parameters: { readonly [key: string]: unknown }): Derivation | string {
  const { dklen, n, r, p, c, prf } = parameters
  if (dklen !== 32) return `crypto.kdfparams.dklen must be 32, got ${shown(dklen)}`
  if (kind === 'scrypt') {
    if (!isCount(n) || !isCount(r) || !isCount(p) || n < 2 || !Number.isInteger(Math.log2(n))) {
      return 'crypto.kdfparams must have n (a power of two), r and p'
    }
    // The memory is one block for each of p lanes, plus the table of n.
    const memoryBytes = 128 * r * (n + p)
    if (memoryBytes > MAX_SCRYPT_MEMORY_BYTES || memoryBytes * p > MAX_SCRYPT_WORK_BYTES || p > 1_024) {
      return `its scrypt cost (n ${n}, r ${r}, p ${p}) is too high to be honest: at most 512 MB are given to it`
    }
    return { kind, n, r, p }
  }
  if (kind === 'pbkdf2') {
    if (prf !== 'hmac-sha256') return `crypto.kdfparams.prf must be "hmac-sha256", got ${shown(prf)}`
    if (!isCount(c)) return 'crypto.kdfparams must have c'
    if (c > MAX_PBKDF2_ITERATIONS) return `its pbkdf2 cost (c ${c}) is too high to be honest`
    return { kind, iterations: c }
  }
  return `crypto.kdf must be "scrypt" or "pbkdf2", got ${shown(kind)}`
}

function readAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^(?:0x)?[0-9a-fA-F]{40}$/.test(value)) return undefined
  return `0x${value.slice(-40).toLowerCase()}`
}

function hexBytes(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'string' || !/^(?:0x)?(?:[0-9a-fA-F]{2})+$/.test(value)) return undefined
  return Buffer.from(value.replace(/^0x/, ''), 'hex')
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

function shown(value: unknown): string {
  return printable(JSON.stringify(value)?.slice(0, 40) ?? 'nothing')
}
