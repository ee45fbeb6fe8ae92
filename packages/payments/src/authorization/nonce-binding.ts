import { concatBytes, fromHex, toHex } from '../crypto/bytes.ts'
import type { EvmCrypto } from '../crypto/evm-crypto.ts'

/** The purpose in a bound nonce: this job of this capability at this endpoint only (D13). */
export interface NonceBinding {
  /** The URL that the job is posted to, as in the agent's own 402: `https://agent.example/execute`. */
  readonly endpoint: string
  readonly capability: string
  /** Compared case-folded, like job_ids everywhere (D16). */
  readonly jobId: string
}

/** The key of the payment's `extensions` that carries the salt. */
export const NONCE_EXTENSION = 'farebox-nonce'

/** Salt of a bound nonce, in bytes. */
export const NONCE_SALT_BYTES = 16

/** "fare": a nonce with this prefix is a bound one. */
const MAGIC = Uint8Array.of(0x66, 0x61, 0x72, 0x65)
const MAGIC_HEX = toHex(MAGIC)

/**
 * Computes the nonce for a job: magic ‖ first 28 bytes of keccak256(endpoint ‖ capability ‖ job_id ‖ salt), as hex (D13).
 *
 * @example
 * ```ts
 * import { bindNonce, NONCE_SALT_BYTES } from '@farebox/payments/authorization/nonce-binding'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 *
 * const salt = crypto.getRandomValues(new Uint8Array(NONCE_SALT_BYTES))
 * const job = { endpoint: 'https://agent.example/execute', capability: 'count', jobId: crypto.randomUUID() }
 * console.log(bindNonce(await loadEvmCrypto(), job, salt)) // 0x66617265…
 * ```
 */
export function bindNonce(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  binding: NonceBinding,
  salt: Uint8Array,
): string {
  const named = new TextEncoder().encode(binding.endpoint + binding.capability + binding.jobId.toLowerCase())
  const hash = crypto.keccak256(concatBytes(named, salt))
  return toHex(concatBytes(MAGIC, hash.subarray(0, 28)))
}

/** Does the nonce have the prefix of a bound nonce? */
export function isBoundNonce(nonce: string): boolean {
  return nonce.startsWith(MAGIC_HEX)
}

/**
 * Checks whether the nonce of a payment allows this job. A nonce without the magic allows any job; one with it allows only
 * the job it was made for and must come with its salt.
 *
 * Returns the reason for a refusal, undefined when the payment is allowed.
 */
export function refuseNonce(
  crypto: EvmCrypto,
  nonce: string,
  salt: string | undefined,
  binding: NonceBinding,
): string | undefined {
  if (!isBoundNonce(nonce)) return undefined
  if (salt === undefined)
    return `the nonce is bound to a job, but extensions["${NONCE_EXTENSION}"].salt is missing`
  return bindNonce(crypto, binding, fromHex(salt)) === nonce ? undefined : 'the nonce is bound to another job'
}
