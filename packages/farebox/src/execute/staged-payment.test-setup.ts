import { randomBytes } from 'node:crypto'
import { toHex } from '@farebox/payments/src/crypto/bytes'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import {
  authorizationTypedData,
  privateKeySigner,
  signPayment,
  type PaymentSigner,
} from '@farebox/payments/x402/sign-payment'
import { defineAgent } from '../define-agent.ts'
import type { FakeClock } from '../testing/fake-clock.ts'
import { ENDPOINT } from './staged-request.test-setup.ts'

export const WALLET = '0x00000000000000000000000000000000000fa4e0'
export const NETWORK_ID = 'eip155:84532'

/** Two prices, and a deadline that allows handlers to outlive a lease. */
export const stageDeclaration = defineAgent({
  service_version: '1.0',
  name: 'Stage',
  description: 'Does what the test says.',
  wallet: '${AGENT_WALLET_ADDRESS}',
  max_deadline_seconds: 60,
  capabilities: {
    work: {
      description: 'Works.',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true, maxLength: 20 } },
      output_schema: { text: { type: 'string' } },
    },
    cheap: {
      description: 'Works for less.',
      pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { text: { type: 'string' } },
    },
  },
})

/** The terms of a payment to sign. */
export interface SignedFor {
  readonly jobId: string
  readonly capability?: 'work' | 'cheap'
  readonly payer?: PaymentSigner
  /** Unix seconds. */
  readonly validBefore?: number
  readonly endpoint?: string
  /** Signs a nonce that names no job, as other clients do. */
  readonly unbound?: boolean
}

/** Wallets of the tests, numbered from 1. */
export function signerOf(crypto: EvmCrypto, number: number): PaymentSigner {
  return privateKeySigner(crypto, toHex(Uint8Array.from({ length: 32 }, (_, index) => index + number)))
}

/** Signs a payment header for a job of the stage. */
export async function signFor(
  crypto: EvmCrypto,
  clock: FakeClock,
  wanted: SignedFor & { readonly payer: PaymentSigner },
): Promise<string> {
  const network = findNetwork(NETWORK_ID)
  if (network === undefined) throw new Error(`${NETWORK_ID} is not in the table`)
  const { jobId, capability = 'work', payer, endpoint = ENDPOINT, validBefore } = wanted
  const requirement = createRequirement({
    network,
    payTo: WALLET,
    amountAtomic: capability === 'work' ? 10_000n : 1_000n,
    maxDeadlineSeconds: stageDeclaration.max_deadline_seconds,
  })
  if (wanted.unbound === true) {
    const authorization = {
      from: payer.address,
      to: WALLET,
      value: requirement.amount,
      validAfter: '0',
      validBefore: String(validBefore ?? Math.floor(clock.nowMs() / 1_000) + 3_600),
      nonce: `0x00${toHex(randomBytes(31)).slice(2)}`,
    }
    const signature = await payer.signTypedData(authorizationTypedData(network, authorization))
    return encodeHeader({ x402Version: 2, accepted: requirement, payload: { authorization, signature } })
  }
  const signed = await signPayment(crypto, payer, {
    network,
    requirement,
    binding: { endpoint, capability, jobId },
    nowSeconds: clock.nowMs() / 1_000,
    ...(validBefore !== undefined && { validBefore }),
  })
  return signed.header
}
