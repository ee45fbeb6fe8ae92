import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import { LAP_PRICES } from './ring-declaration.ts'

/** The end of a job that was paid from outside the ring. */
export interface RingOutcome {
  readonly status: number
  readonly hires: number
  readonly end: string
}

const DEADLINE_SECONDS = 300
const GIVE_UP_MS = 600_000

/** Orders one job, and repeats the same request until a response says how the job ended. */
export async function orderJob(
  crypto: EvmCrypto,
  order: { readonly key: string; readonly url: string; readonly wallet: string },
): Promise<RingOutcome> {
  const network = findNetwork('eip155:84532')
  if (network === undefined) throw new Error('Base Sepolia is not in the table')
  const jobId = randomUUID()
  const nowSeconds = Date.now() / 1_000
  const { header } = await signPayment(crypto, privateKeySigner(crypto, order.key), {
    network,
    requirement: createRequirement({
      network,
      payTo: order.wallet,
      amountAtomic: LAP_PRICES[0],
      maxDeadlineSeconds: DEADLINE_SECONDS,
    }),
    binding: { endpoint: `${order.url}/execute`, capability: 'lap0', jobId },
    nowSeconds,
    validBefore: Math.floor(nowSeconds) + DEADLINE_SECONDS + 30,
  })
  const body = JSON.stringify({
    service_version: '1.0',
    job_id: jobId,
    task: { capability: 'lap0', input: {} },
    deadline: Math.floor(nowSeconds) + DEADLINE_SECONDS,
  })
  const startedMs = Date.now()
  while (Date.now() - startedMs < GIVE_UP_MS) {
    const answer = await post(order.url, body, header)
    if (answer !== undefined && answer.status !== 503) return answer
    await sleep(300)
  }
  return { status: 0, hires: 0, end: 'no answer' }
}

async function post(url: string, body: string, header: string): Promise<RingOutcome | undefined> {
  try {
    const response = await fetch(`${url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'payment-signature': header },
      body,
    })
    const { output } = (await response.json()) as {
      readonly output?: { readonly hires: number; readonly end: string }
    }
    return { status: response.status, hires: output?.hires ?? 0, end: output?.end ?? 'failed' }
  } catch {
    return undefined
  }
}
