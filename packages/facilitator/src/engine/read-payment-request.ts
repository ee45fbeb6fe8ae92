import { isObject } from '@farebox/protocol/internal/guards/json'
import { isAddress } from '@farebox/payments/crypto/address'
import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import type { RequiredTerms } from '@farebox/payments/x402/check-terms'
import type { SignatureVerifier, ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { HOLD_EXTENSION } from '@farebox/payments/x402/facilitator-api'
import type { Network } from '@farebox/payments/networks'
import { readEnvelope } from '@farebox/payments/x402/payment-header'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import { refusePayment, type PaymentRefusal } from './refusal.ts'

/** The parsed body of `/verify` or `/settle`: the payer is proven, the terms are not yet checked. */
export interface PaymentRequest {
  readonly proven: ProvenPayment
  readonly payment: LedgerPayment
  readonly requirement: RequiredTerms
  /** The job that it pays for; the payment's own key if the caller sends no hold extension. */
  readonly binding: string
  /** The trace of the request, 32 hex digits. */
  readonly trace: string
  /** Requested end of the hold, Unix seconds; undefined if the caller requests none. */
  readonly holdUntil: number | undefined
  /** The caller only asks for the outcome of the payment; nothing is to be held. */
  readonly isInquiry: boolean
  /** From the requirement, in seconds; undefined when absent. */
  readonly maxTimeoutSeconds: number | undefined
}

type Read =
  | { readonly ok: true; readonly request: PaymentRequest }
  | { readonly ok: false; readonly refusal: PaymentRefusal }

const UINT = /^(?:0|[1-9]\d{0,77})$/
const BINDING = /^0x[0-9a-f]{64}$/

/** Reads a body into a payment whose payer is proven; any other body gives a refusal (SR1, SR2). Makes no network call. */
export function readPaymentRequest(
  { network, verifier }: { readonly network: Network; readonly verifier: SignatureVerifier },
  body: unknown,
  trace: string,
): Read {
  if (!isObject(body)) return malformed('invalid_payload', 'the body must be a JSON object')
  if (body['x402Version'] !== 2) return malformed('invalid_x402_version', 'x402Version must be 2')
  const { paymentPayload, paymentRequirements, extensions } = body

  const requirement = readRequirement(paymentRequirements, network)
  if (!requirement.ok) return requirement
  const extension = readExtension(extensions)
  if (!extension.ok) return extension

  if (!isObject(paymentPayload)) return malformed('invalid_payload', 'paymentPayload must be an object')
  const envelope = readEnvelope(paymentPayload)
  if (!envelope.ok) return { ok: false, refusal: refusePayment('invalid_payload', envelope.reason) }
  const { payment: decoded } = envelope
  if (
    decoded.network !== network.id ||
    (decoded.asset !== undefined && decoded.asset !== network.asset.address)
  ) {
    const message = `the payment must be in ${network.asset.address} on ${network.id}`
    return { ok: false, refusal: refusePayment('invalid_exact_evm_network_mismatch', message) }
  }
  const proven = verifier.provePayer(decoded)
  if (!proven.ok) return { ok: false, refusal: refusePayment('invalid_exact_evm_signature', proven.reason) }

  const { authorization, signature } = proven.value
  const key = paymentKey(network, authorization)
  const { binding = key, holdUntil, isInquiry = false } = extension
  const payment = { key, network: network.id, asset: network.asset.address, authorization, signature }
  const { terms, maxTimeoutSeconds } = requirement
  return {
    ok: true,
    request: {
      proven: proven.value,
      payment,
      requirement: terms,
      binding,
      trace,
      holdUntil,
      isInquiry,
      maxTimeoutSeconds,
    },
  }
}

type Malformed = { readonly ok: false; readonly refusal: PaymentRefusal }

function readRequirement(
  value: unknown,
  network: Network,
):
  | Malformed
  | { readonly ok: true; readonly terms: RequiredTerms; readonly maxTimeoutSeconds: number | undefined } {
  if (!isObject(value))
    return malformed('invalid_payment_requirements', 'paymentRequirements must be an object')
  const { scheme, network: named, asset, amount, payTo, maxTimeoutSeconds } = value
  if (scheme !== 'exact') return malformed('unsupported_scheme', 'paymentRequirements.scheme must be "exact"')
  if (named !== network.id)
    return malformed('invalid_network', `paymentRequirements.network must be "${network.id}" here`)
  if (!isAddress(asset) || asset.toLowerCase() !== network.asset.address) {
    return malformed(
      'invalid_payment_requirements',
      `paymentRequirements.asset must be USDC at ${network.asset.address}`,
    )
  }
  if (typeof amount !== 'string' || !UINT.test(amount)) {
    return malformed(
      'invalid_payment_requirements',
      'paymentRequirements.amount must be a decimal string of atomic units',
    )
  }
  if (!isAddress(payTo))
    return malformed('invalid_payment_requirements', 'paymentRequirements.payTo must be an address')
  const timeout =
    typeof maxTimeoutSeconds === 'number' && maxTimeoutSeconds > 0 ? maxTimeoutSeconds : undefined
  return { ok: true, terms: { amount, payTo: payTo.toLowerCase() }, maxTimeoutSeconds: timeout }
}

/** The hold extension is read strictly: a caller that sends it wrongly wants a hold and would not get one. */
function readExtension(extensions: unknown):
  | Malformed
  | {
      readonly ok: true
      readonly binding?: string
      readonly holdUntil?: number
      readonly isInquiry?: boolean
    } {
  if (!isObject(extensions) || !Object.hasOwn(extensions, HOLD_EXTENSION)) return { ok: true }
  const extension = extensions[HOLD_EXTENSION]
  if (!isObject(extension))
    return malformed('invalid_payload', `extensions["${HOLD_EXTENSION}"] must be an object`)
  const { binding, holdUntil, inquiry } = extension
  if (typeof binding !== 'string' || !BINDING.test(binding)) {
    return malformed(
      'invalid_payload',
      `extensions["${HOLD_EXTENSION}"].binding must be 32 bytes of lower-case hex`,
    )
  }
  if (inquiry !== undefined && inquiry !== true) {
    return malformed('invalid_payload', `extensions["${HOLD_EXTENSION}"].inquiry must be true, or absent`)
  }
  if (inquiry === true) return { ok: true, binding, isInquiry: true }
  if (holdUntil === undefined) return { ok: true, binding }
  if (typeof holdUntil !== 'number' || !Number.isFinite(holdUntil)) {
    return malformed('invalid_payload', `extensions["${HOLD_EXTENSION}"].holdUntil must be Unix seconds`)
  }
  return { ok: true, binding, holdUntil }
}

function malformed(reason: string, message: string): Malformed {
  return { ok: false, refusal: { status: 400, reason, message } }
}
