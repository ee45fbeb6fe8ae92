import { randomBytes, randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { decodeHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import type { PaymentRequired, PaymentRequirement } from '@farebox/payments/x402/requirement'
import {
  authorizationTypedData,
  privateKeySigner,
  signPayment,
  type PaymentSigner,
} from '@farebox/payments/x402/sign-payment'
import { request } from 'undici'
import type { ReadyRequest } from '../rounds/drive.ts'

/** The input and the output of every job. */
export const TEXT = 'The quick brown fox jumps over the lazy dog.'

/** Time for a round to begin and end. */
const VALID_SECONDS = 900

/** The network of all scenes: Base Sepolia, as the local chain simulates it. */
export const NETWORK: Network = (() => {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('Base Sepolia is not in the table')
  return network
})()

/** Creates the requests of a round for one server, before its measurement. */
export type MakeRequests = (count: number) => Promise<readonly ReadyRequest[]>

/** Jobs paid to us as our client pays them: each payment bound to its job (D13). */
export async function jobsForFarebox(crypto: EvmCrypto, url: string): Promise<MakeRequests> {
  const { resource, requirement } = await readOffer(url)
  const payer = privateKeySigner(crypto, TEST_KEYS.payer.privateKey)
  return async count =>
    await Promise.all(
      Array.from({ length: count }, async () => {
        const jobId = randomUUID()
        const nowSeconds = Date.now() / 1_000
        const { header } = await signPayment(crypto, payer, {
          network: NETWORK,
          requirement,
          binding: { endpoint: resource.url, capability: 'echo', jobId },
          nowSeconds,
          validBefore: Math.floor(nowSeconds) + VALID_SECONDS,
        })
        return jobRequest(jobId, header)
      }),
    )
}

/** Jobs paid as a stock x402 client pays them: any server accepts them. */
export async function jobsForAnybody(crypto: EvmCrypto, url: string): Promise<MakeRequests> {
  const { resource, requirement } = await readOffer(url)
  const signer = privateKeySigner(crypto, TEST_KEYS.payer.privateKey)
  return async count =>
    await Promise.all(
      Array.from({ length: count }, async () => {
        const payload = await signAuthorization(signer, requirement)
        return jobRequest(
          randomUUID(),
          encodeHeader({ x402Version: 2, resource, accepted: requirement, payload }),
        )
      }),
    )
}

/** An authorization with a random nonce, signed. */
export async function signAuthorization(
  signer: PaymentSigner,
  requirement: Pick<PaymentRequirement, 'payTo' | 'amount'>,
): Promise<{ readonly authorization: Authorization; readonly signature: string }> {
  const authorization: Authorization = {
    from: signer.address.toLowerCase(),
    to: requirement.payTo.toLowerCase(),
    value: requirement.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + VALID_SECONDS),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  return {
    authorization,
    signature: await signer.signTypedData(authorizationTypedData(NETWORK, authorization)),
  }
}

/** A server's demand, as in any 402. */
async function readOffer(
  url: string,
): Promise<{ readonly resource: PaymentRequired['resource']; readonly requirement: PaymentRequirement }> {
  const { statusCode, headers, body } = await request(`${url}/execute`, {
    ...jobRequest(randomUUID()),
    method: 'POST',
  })
  await body.dump()
  const header = headers['payment-required']
  if (statusCode !== 402 || typeof header !== 'string')
    throw new Error(`${url} did not ask for a payment: HTTP ${statusCode}`)
  const {
    resource,
    accepts: [requirement],
  } = decodeHeader(header) as PaymentRequired
  if (requirement === undefined) throw new Error(`${url} asks for a payment it does not name`)
  return { resource, requirement }
}

function jobRequest(jobId: string, paymentHeader?: string): ReadyRequest {
  return {
    headers: {
      'content-type': 'application/json',
      ...(paymentHeader !== undefined && { 'payment-signature': paymentHeader }),
    },
    body: JSON.stringify({
      service_version: '1.0',
      job_id: jobId,
      task: { capability: 'echo', input: { text: TEXT } },
      deadline: Math.floor(Date.now() / 1_000) + VALID_SECONDS,
    }),
  }
}
