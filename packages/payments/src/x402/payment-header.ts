import { MAX_AUTHORIZATION_TIME, MAX_PAYMENT_HEADER_CHARACTERS } from '@farebox/protocol/limits'
import type { Authorization } from '../authorization/eip-3009.ts'
import { NONCE_EXTENSION, NONCE_SALT_BYTES } from '../authorization/nonce-binding.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { isText } from './json-shape.ts'

/** A payment as decoded from a header: its form is checked, its contents are not (D4). */
export interface DecodedPayment {
  /** `eip155:<chain id>` */
  readonly network: string
  /** Lower-case; only present in the v2 envelope. */
  readonly asset: string | undefined
  /** The requirement that the v2 envelope accepted; only used for comparison. */
  readonly accepted: { readonly amount: string; readonly payTo: string } | undefined
  readonly authorization: Authorization
  /** 65 bytes as lower-case hex. */
  readonly signature: string
  /** Salt of a bound nonce (D13), 16 bytes as lower-case hex. */
  readonly salt: string | undefined
}

/** The x402 v2 settle result, sent in the `PAYMENT-RESPONSE` header (D7). */
export interface PaymentResponse {
  readonly success: boolean
  readonly transaction: string
  readonly network: string
  readonly payer?: string
  readonly amount?: string
  readonly errorReason?: string
  readonly errorMessage?: string
}

type Decoded =
  | { readonly ok: true; readonly payment: DecodedPayment }
  | { readonly ok: false; readonly reason: string }

const BLANKS = [' ', '\t', '\n', '\f', '\r']
const BEYOND_ASCII = /[\u0080-\uffff]/
const UINT = /^(?:0|[1-9]\d{0,77})$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const NONCE = /^0x[0-9a-fA-F]{64}$/
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/
const ANY_HEX = /^0x[0-9a-fA-F]*$/
const NETWORK = /^eip155:(?:0|[1-9]\d{0,15})$/
const SALT = new RegExp(`^0x[0-9a-fA-F]{${NONCE_SALT_BYTES * 2}}$`)
const UINT256_END = 1n << 256n
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Encodes JSON in standard base64: the form of all three payment headers. */
export function encodeHeader(value: object): string {
  const json = JSON.stringify(value)
  if (!BEYOND_ASCII.test(json)) return btoa(json)
  let text = ''
  for (const byte of new TextEncoder().encode(json)) text += String.fromCharCode(byte)
  return btoa(text)
}

/** Decodes a payment header; undefined for anything that is not base64 of JSON. */
export function decodeHeader(header: string): unknown {
  if (header.length > MAX_PAYMENT_HEADER_CHARACTERS) return undefined
  // The platform's decoder accepts RFC 4648 with or without padding, but also blanks, which are refused here.
  if (BLANKS.some(blank => header.includes(blank))) return undefined
  try {
    const text = atob(header)
    return JSON.parse(BEYOND_ASCII.test(text) ? UTF8.decode(bytesOf(text)) : text)
  } catch {
    return undefined
  }
}

/** The bytes of a string that has one byte in each character. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index)
  return bytes
}

/**
 * Decodes a `PAYMENT-SIGNATURE` header: standard base64, padding optional, of a v2 envelope, or of a v1 envelope with its
 * network as `eip155:<id>` (D4). Returns a payment or a reason, and never throws, whatever the bytes.
 *
 * @example
 * ```ts
 * import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
 *
 * export function describePayment(header: string): string {
 *   const read = decodePaymentHeader(header)
 *   if (!read.ok) return read.reason // 'the payment header must be base64 of a JSON object'
 *   const { from, value } = read.payment.authorization
 *   return `${value} atomic units from ${from} on ${read.payment.network}`
 * }
 * ```
 */
export function decodePaymentHeader(header: string): Decoded {
  const { length } = header
  if (length > MAX_PAYMENT_HEADER_CHARACTERS)
    return refuse(
      `the payment header is too long: at most ${MAX_PAYMENT_HEADER_CHARACTERS} characters, got ${length}`,
    )
  const envelope = decodeHeader(header)
  if (!isObject(envelope)) return refuse('the payment header must be base64 of a JSON object')
  return readEnvelope(envelope)
}

/** {@link decodePaymentHeader} for a parsed envelope, as a facilitator receives it. */
export function readEnvelope(envelope: { readonly [key: string]: unknown }): Decoded {
  const { x402Version } = envelope
  if (x402Version === 2) {
    const { accepted } = envelope
    if (!isObject(accepted)) return refuse('accepted must be an object: the entry of accepts that this pays')
    const { scheme, network, asset, amount, payTo } = accepted
    if (!isText(asset, ADDRESS)) return refuse('accepted.asset must be an address')
    if (!isText(amount, UINT)) return refuse('accepted.amount must be a decimal string of atomic units')
    if (!isText(payTo, ADDRESS)) return refuse('accepted.payTo must be an address')
    return readPayment(
      { scheme, network, asset: asset.toLowerCase(), accepted: { amount, payTo: payTo.toLowerCase() } },
      envelope,
    )
  }
  if (x402Version === 1) {
    const { scheme, network } = envelope
    return readPayment({ scheme, network, asset: undefined, accepted: undefined }, envelope)
  }
  return refuse('x402Version must be 2 (or 1)')
}

function readPayment(
  named: {
    readonly scheme: unknown
    readonly network: unknown
    readonly asset: DecodedPayment['asset']
    readonly accepted: DecodedPayment['accepted']
  },
  envelope: { readonly [key: string]: unknown },
): Decoded {
  const { scheme, network, asset, accepted } = named
  if (scheme !== 'exact') return refuse('scheme must be "exact"')
  if (!isText(network, NETWORK)) return refuse('network must be "eip155:<chain id>"')
  const { payload, extensions } = envelope
  if (!isObject(payload)) return refuse('payload must be an object')
  const authorization = readAuthorization(payload['authorization'])
  if (typeof authorization === 'string') return refuse(authorization)
  const { signature } = payload
  if (!isText(signature, SIGNATURE)) return refuse(refuseSignature(signature))
  const salt = readSalt(extensions)
  if (salt === false)
    return refuse(`extensions["${NONCE_EXTENSION}"].salt must be ${NONCE_SALT_BYTES} bytes of hex`)
  return {
    ok: true,
    payment: { network, asset, accepted, authorization, signature: signature.toLowerCase(), salt },
  }
}

/**
 * The authorization in its canonical form, or the reason for a refusal. BigInt accepts `""`, `" 1 "` and `"0x1"`; this
 * function does not.
 */
function readAuthorization(value: unknown): Authorization | string {
  if (!isObject(value)) return 'payload.authorization must be an object'
  const { from, to, value: amount, validAfter, validBefore, nonce } = value
  if (!isText(from, ADDRESS)) return 'authorization.from must be an address'
  if (!isText(to, ADDRESS)) return 'authorization.to must be an address'
  if (!isText(amount, UINT) || BigInt(amount) >= UINT256_END)
    return 'authorization.value must be a decimal string of atomic units'
  if (!isTime(validAfter)) return 'authorization.validAfter must be a decimal string of Unix seconds'
  if (!isTime(validBefore))
    return 'authorization.validBefore must be a decimal string of Unix seconds, below 2^47'
  if (!isText(nonce, NONCE)) return 'authorization.nonce must be 32 bytes of hex'
  return {
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    value: amount,
    validAfter,
    validBefore,
    nonce: nonce.toLowerCase(),
  }
}

function refuseSignature(signature: unknown): string {
  if (typeof signature !== 'string' || !ANY_HEX.test(signature)) return 'payload.signature must be hex'
  return signature.length > 132
    ? 'payload.signature is longer than 65 bytes: contract wallets are not supported yet, pay from an ordinary one'
    : 'payload.signature must be 65 bytes'
}

/** The salt, undefined when it is absent, false when it is invalid. */
function readSalt(extensions: unknown): string | undefined | false {
  if (!isObject(extensions) || !Object.hasOwn(extensions, NONCE_EXTENSION)) return undefined
  const extension = extensions[NONCE_EXTENSION]
  if (!isObject(extension) || !isText(extension['salt'], SALT)) return false
  return extension['salt'].toLowerCase()
}

function isTime(value: unknown): value is string {
  return isText(value, UINT) && BigInt(value) < MAX_AUTHORIZATION_TIME
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}
