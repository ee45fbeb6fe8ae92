import { randomUUID } from 'node:crypto'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import { readPrice } from '@farebox/protocol/money/usdc'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { Stage } from './stage.ts'

/** The complete answer of an agent. */
export interface Answered {
  readonly status: number
  readonly body: string
  readonly headers: Headers
}

/** A job request as sent: store it to send it again. */
export interface PaidRequest {
  readonly jobId: string
  readonly body: string
  readonly header: string
}

function localNetwork(): Network {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('Base Sepolia is not in the table')
  return network
}

/** The body of a job request, with a deadline in this many seconds. */
export function jobBody(
  jobId: string,
  input: object,
  options: { readonly capability?: string; readonly deadlineSeconds?: number } = {},
): string {
  const { capability, deadlineSeconds = 290 } = options
  return JSON.stringify({
    service_version: '1.0',
    job_id: jobId,
    task: { ...(capability && { capability }), input },
    deadline: Math.floor(Date.now() / 1_000) + deadlineSeconds,
  })
}

/**
 * Signs a payment for an amount to a wallet. With `boundTo` for one job; without it with an unbound nonce, like stock
 * clients.
 */
export async function signFor(
  stage: Pick<Stage, 'crypto'>,
  terms: {
    readonly payTo: string
    readonly price: string
    readonly boundTo?: { readonly endpoint: string; readonly capability: string; readonly jobId: string }
    readonly payerKey?: string
    readonly validSeconds?: number
  },
): Promise<string> {
  const price = readPrice(terms.price)
  if (!price.ok) throw new Error(price.reason)
  const network = localNetwork()
  const requirement = createRequirement({
    network,
    payTo: terms.payTo,
    amountAtomic: price.atomic,
    maxDeadlineSeconds: 300,
  })
  const signer = privateKeySigner(stage.crypto, terms.payerKey ?? TEST_KEYS.payer.privateKey)
  const nowSeconds = Date.now() / 1_000
  const signed = await signPayment(stage.crypto, signer, {
    network,
    requirement,
    nowSeconds,
    binding: terms.boundTo ?? { endpoint: '', capability: '', jobId: randomUUID() },
    ...(terms.validSeconds !== undefined && { validBefore: Math.floor(nowSeconds) + terms.validSeconds }),
  })
  return terms.boundTo === undefined ? await freeNonce(stage, signed.header, terms.payerKey) : signed.header
}

/** Posts to `/execute`. */
export async function post(url: string, body: string, header?: string): Promise<Answered> {
  const answer = await fetch(`${url}/execute`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(header !== undefined && { 'payment-signature': header }),
    },
    body,
  })
  return { status: answer.status, body: await answer.text(), headers: answer.headers }
}

/**
 * Posts to `/execute` until the agent decides: an answer of 500 or above says that it could not (D12), for example when
 * a busy machine gives no verdict in time, and the same request is sent again.
 */
export async function postUntilDecided(url: string, body: string, header?: string): Promise<Answered> {
  for (;;) {
    const answer = await post(url, body, header)
    if (answer.status < 500) return answer
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}

/** The number of USDC transfers to a wallet on the chain. */
export async function transfersTo(stage: Stage, wallet: string): Promise<number> {
  const rpc = createJsonRpc(stage.chain.rpcUrl)
  try {
    const logs = await rpc.call('eth_getLogs', [
      {
        address: stage.chain.usdc,
        fromBlock: '0x0',
        toBlock: 'latest',
        topics: [TRANSFER_TOPIC, null, `0x${wallet.slice(2).toLowerCase().padStart(64, '0')}`],
      },
    ])
    return Array.isArray(logs) ? logs.length : -1
  } finally {
    await rpc.close()
  }
}

/** The same payment under a random nonce, signed again: bound nonces are refused without their salt. */
async function freeNonce(
  stage: Pick<Stage, 'crypto'>,
  header: string,
  payerKey: string = TEST_KEYS.payer.privateKey,
): Promise<string> {
  const envelope = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as Envelope
  const authorization = {
    ...envelope.payload.authorization,
    nonce: `0x${Buffer.from(globalThis.crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`,
  }
  const signature = await privateKeySigner(stage.crypto, payerKey).signTypedData(
    authorizationTypedData(localNetwork(), authorization),
  )
  const { extensions: _, ...rest } = envelope
  return Buffer.from(JSON.stringify({ ...rest, payload: { authorization, signature } })).toString('base64')
}

interface Envelope {
  readonly payload: { readonly authorization: Authorization }
  readonly extensions: unknown
}
