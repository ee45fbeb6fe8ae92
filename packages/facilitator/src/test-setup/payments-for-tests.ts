import { randomBytes } from 'node:crypto'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import {
  HOLD_EXTENSION,
  type FacilitatorRequest,
  type ReleaseRequest,
} from '@farebox/payments/x402/facilitator-api'
import type { VerifyOutcome } from '@farebox/payments/x402/facilitator-client'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, privateKeySigner } from '@farebox/payments/x402/sign-payment'

/** The network of every test: Base Sepolia, as the local chain simulates it. */
export const NETWORK: Network = (() => {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('Base Sepolia is not in the table')
  return network
})()

export const PAY_TO = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
export const PRICE = 10_000n

/** A new account for each test, so that no two tests share a balance. */
export function freshKey(): string {
  return `0x${randomBytes(32).toString('hex')}`
}

/** A new, unique purpose. */
export function freshBinding(): string {
  return `0x${randomBytes(32).toString('hex')}`
}

/** The parts of a payment that a test changes. */
export interface PaymentChanges extends Partial<Authorization> {
  /** Signs for another network or domain than the request names. */
  readonly signedFor?: Network
}

/** Signs an authorization of {@link PRICE} to {@link PAY_TO}, valid for five minutes. */
export async function signAuthorization(
  crypto: EvmCrypto,
  payerKey: string,
  { signedFor = NETWORK, ...changes }: PaymentChanges = {},
): Promise<{ readonly authorization: Authorization; readonly signature: string }> {
  const signer = privateKeySigner(crypto, payerKey)
  const authorization: Authorization = {
    from: signer.address,
    to: PAY_TO,
    value: PRICE.toString(),
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + 300),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...changes,
  }
  return {
    authorization,
    signature: await signer.signTypedData(authorizationTypedData(signedFor, authorization)),
  }
}

/** The body that an agent sends for a signed payment. */
export function facilitatorRequest(
  signed: { readonly authorization: Authorization; readonly signature: string },
  hold?: { readonly binding: string; readonly holdUntil?: number },
  terms: { readonly payTo?: string; readonly amountAtomic?: bigint } = {},
): FacilitatorRequest {
  const requirement = createRequirement({
    network: NETWORK,
    payTo: terms.payTo ?? PAY_TO,
    amountAtomic: terms.amountAtomic ?? PRICE,
    maxDeadlineSeconds: 20,
  })
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: requirement, payload: signed },
    paymentRequirements: requirement,
    ...(hold === undefined ? {} : { extensions: { [HOLD_EXTENSION]: hold } }),
  }
}

/** The request that releases the hold of a verify response. */
export function releaseOf(request: FacilitatorRequest, verified: VerifyOutcome): ReleaseRequest {
  const holdId = verified.kind === 'valid' ? (verified.hold?.holdId ?? '') : ''
  return { holdId, binding: request.extensions?.[HOLD_EXTENSION]?.binding ?? '' }
}
