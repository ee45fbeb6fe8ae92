import { randomBytes } from 'node:crypto'
import { isAddress } from '@farebox/payments/crypto/address'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { decodeHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { NotApplicable } from '../exchange/verdicts.ts'
import { postJob, type CheckContext } from './context.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import { NO_PRICE, type Terms } from './terms.ts'

/** Base64 of `{}`: a payment header that no agent can accept as a payment. */
export const EMPTY_PAYMENT = 'e30='

/** At most as many digits as a uint256. */
const ATOMIC_AMOUNT = /^(?:0|[1-9]\d{0,77})(?!\n)$/

/** A payment envelope as JSON, in which everything can be changed. */
export type Envelope = { [key: string]: unknown }

/** How a forged payment differs from a valid one. */
export interface Forgery {
  /** Default: the run's stranger, an account with an empty wallet. */
  readonly signer?: PaymentSigner
  /** Default: the first capability's. */
  readonly capability?: string
  /** Changes to the authorization before it is signed: the signature is valid for them. */
  readonly sign?: Partial<Authorization>
  /** Changes the chain and token whose domain is signed. */
  readonly domain?: (network: Network) => Network
  /** Changes the envelope after it was signed. */
  readonly envelope?: (envelope: Envelope) => unknown
}

/**
 * Reads the payment terms of a capability from the `PAYMENT-REQUIRED` header of its 402 response (D3). Throws
 * `NotApplicable` when they cannot be paid; the checks of the 402 response report why.
 */
export async function readAgentTerms(context: CheckContext, capability: string | undefined): Promise<Terms> {
  const reply = await postJob(
    context,
    await context.jobBody({ ...(capability !== undefined && { capability }) }),
  )
  if (reply.status !== 402) throw new NotApplicable('agent', NO_PRICE)
  const required = decodeHeader(reply.headers.get('payment-required') ?? '')
  if (!isObject(required) || !isObject(required['resource'])) {
    throw new NotApplicable('agent', 'the 402 has no PAYMENT-REQUIRED header that can be paid')
  }
  const accepts: readonly unknown[] = Array.isArray(required['accepts']) ? required['accepts'] : []
  for (const requirement of accepts) {
    const network = isRequirement(requirement) ? findNetwork(requirement.network) : undefined
    if (network === undefined || !isRequirement(requirement)) continue
    const endpoint = String(required['resource']['url'])
    return { network, requirement, endpoint, capability: capability ?? (await context.agent()).first }
  }
  throw new NotApplicable('agent', 'the 402 asks for no payment on a network this kit knows')
}

/** Signs a payment for one job in the same way as our own clients: its nonce is bound to the job (D13). */
export async function signedHeader(
  context: CheckContext,
  job: {
    readonly signer: PaymentSigner
    readonly terms: Terms
    readonly jobId: string
    readonly validBefore?: number
  },
): Promise<string> {
  const { network, requirement, endpoint, capability } = job.terms
  const signed = await signPayment(await context.crypto(), job.signer, {
    network,
    requirement,
    binding: { endpoint, capability, jobId: job.jobId },
    nowSeconds: context.nowSeconds(),
    ...(job.validBefore !== undefined && { validBefore: job.validBefore }),
  })
  return signed.header
}

/** Creates a payment header that is valid except for the forgery. Its nonce is not bound to a job. */
export async function forgeHeader(context: CheckContext, forgery: Forgery = {}): Promise<string> {
  const {
    signer = await context.stranger(),
    domain = network => network,
    envelope = value => value,
  } = forgery
  const { network, requirement } = await context.terms(forgery.capability)
  const authorization: Authorization = {
    from: signer.address,
    to: requirement.payTo.toLowerCase(),
    value: requirement.amount,
    validAfter: '0',
    validBefore: String(Math.floor(context.nowSeconds()) + requirement.maxTimeoutSeconds),
    nonce: `0x00${toHex(randomBytes(31)).slice(2)}`,
    ...forgery.sign,
  }
  const signature = await signer.signTypedData(authorizationTypedData(domain(network), authorization))
  const sent = envelope({ x402Version: 2, accepted: requirement, payload: { authorization, signature } })
  return typeof sent === 'string' ? sent : encodeHeader(Object(sent) as object)
}

/** Changes fields of the envelope's authorization; `undefined` removes a field. */
export function sendAuthorization(changes: {
  readonly [field: string]: unknown
}): (envelope: Envelope) => Envelope {
  return envelope => {
    const payload = envelope['payload'] as { authorization: object }
    return { ...envelope, payload: { ...payload, authorization: { ...payload.authorization, ...changes } } }
  }
}

/** Changes the envelope's signature. */
export function sendSignature(change: (signature: string) => unknown): (envelope: Envelope) => Envelope {
  return envelope => {
    const payload = envelope['payload'] as { signature: string }
    return { ...envelope, payload: { ...payload, signature: change(payload.signature) } }
  }
}

/** Changes fields of the envelope's `accepted`. */
export function sendAccepted(changes: {
  readonly [field: string]: unknown
}): (envelope: Envelope) => Envelope {
  return envelope => ({ ...envelope, accepted: { ...(envelope['accepted'] as object), ...changes } })
}

function isRequirement(value: unknown): value is PaymentRequirement {
  if (!isObject(value)) return false
  const { network, amount, asset, payTo, maxTimeoutSeconds } = value
  if (typeof network !== 'string' || typeof maxTimeoutSeconds !== 'number') return false
  return isAddress(asset) && isAddress(payTo) && typeof amount === 'string' && ATOMIC_AMOUNT.test(amount)
}
