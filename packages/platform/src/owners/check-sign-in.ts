import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { Refusal } from '../http/refusal.ts'
import { readSiweMessage, SiweSyntaxError, type SiweMessage } from './siwe-message.ts'

/** What the sign-in message must match: this platform, this chain and the current time. */
export interface SignInRules {
  /** Without a slash at the end. */
  readonly publicUrl: string
  readonly chainId: number
  readonly nowMs: number
}

/** How far ahead a message may expire, and how long ago it may have been issued. */
const MAX_MESSAGE_MS = 600_000
/** By how much a wallet's clock may be ahead of the platform's. */
const CLOCK_SKEW_MS = 60_000

/** The signer and the nonce of a valid message. The caller must still check that the platform issued the nonce. */
export interface ProvenSignIn {
  /** Lower case. */
  readonly address: string
  readonly nonce: string
}

/**
 * Checks an EIP-4361 message and its signature by an ordinary wallet. Every rule is checked explicitly and none is left
 * to a default (WEB-04).
 *
 * Throws a {@link Refusal}: `validation` when the text is not such a message, `unauthorized` when it is not valid for
 * this platform and time, or not signed by its address.
 */
export function checkSignIn(
  crypto: EvmCrypto,
  { message, signature }: { readonly message: string; readonly signature: string },
  rules: SignInRules,
): ProvenSignIn {
  const read = readMessage(message)
  const reason = findReason(crypto, read, rules)
  if (reason !== undefined) throw new Refusal('unauthorized', `message: ${reason}`)
  const signer = recoverSigner(crypto, message, signature)
  if (signer !== read.address.toLowerCase())
    throw new Refusal('unauthorized', 'signature: is not by the address in the message')
  return { address: signer, nonce: read.nonce }
}

function readMessage(message: string): SiweMessage {
  try {
    return readSiweMessage(message)
  } catch (error) {
    if (error instanceof SiweSyntaxError) throw new Refusal('validation', `message: ${error.message}`)
    throw error
  }
}

function findReason(crypto: EvmCrypto, message: SiweMessage, rules: SignInRules): string | undefined {
  const { host, origin, protocol } = new URL(rules.publicUrl)
  const { nowMs } = rules
  if (message.domain !== host) return `the domain must be ${host}`
  if (message.scheme !== undefined && `${message.scheme}:` !== protocol)
    return `the scheme must be ${protocol}`
  if (!canParseUrl(message.uri) || new URL(message.uri).origin !== origin) return `URI must be at ${origin}`
  if (message.chainId !== rules.chainId) return `Chain ID must be ${rules.chainId}`
  if (checksumAddress(crypto, message.address) !== message.address)
    return 'the address must be written with its checksum (EIP-55)'
  if (message.issuedAtMs > nowMs + CLOCK_SKEW_MS) return 'Issued At must not be in the future'
  if (message.issuedAtMs < nowMs - MAX_MESSAGE_MS) return 'Issued At must not be more than 10 minutes ago'
  if (message.expirationTimeMs === undefined) return 'Expiration Time is required'
  if (message.expirationTimeMs <= nowMs) return 'Expiration Time has passed'
  if (message.expirationTimeMs > nowMs + MAX_MESSAGE_MS)
    return 'Expiration Time must be at most 10 minutes ahead'
  if (message.notBeforeMs !== undefined && message.notBeforeMs > nowMs) return 'Not Before is yet to come'
  return undefined
}

const SIGNATURE_CHARACTERS = 132

function recoverSigner(crypto: EvmCrypto, message: string, signature: string): string | undefined {
  if (!/^0x(?:[0-9a-fA-F]{2})+$/.test(signature)) throw new Refusal('validation', 'signature: must be 0x hex')
  if (signature.length > SIGNATURE_CHARACTERS) {
    throw new Refusal(
      'unauthorized',
      'signature: contract wallets are not supported yet, sign with an ordinary one',
    )
  }
  const text = new TextEncoder().encode(message)
  // EIP-191, version 0x45: the bytes that `personal_sign` hashes.
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${text.length}`)
  return crypto.recoverAddress(
    crypto.keccak256(Buffer.concat([prefix, text])),
    withUsualV(fromHex(signature)),
  )
}

/**
 * Replaces a bare recovery id (0 or 1), which some wallets, including hardware wallets, write as v, by 27 or 28. The
 * meaning is the same, and no contract verifies a sign-in. Payments must have the v that the token accepts.
 */
function withUsualV(signature: Uint8Array): Uint8Array {
  const v = signature[64]
  return signature.length === 65 && (v === 0 || v === 1)
    ? Uint8Array.of(...signature.subarray(0, 64), v + 27)
    : signature
}
