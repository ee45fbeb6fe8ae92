import { readTraceparent } from '@farebox/protocol/src/trace/traceparent'
import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { privateKeySigner, signPayment } from '@farebox/payments/x402/sign-payment'
import { createRequirement } from '@farebox/payments/x402/requirement'
import type { JobOrder } from '@farebox/platform-api/jobs'
import { createOrderAdmission } from '../../jobs/order/admit-order.ts'
import type { Ordering } from '../../jobs/order/order-job.ts'
import { createProvePayment } from '../../jobs/quote/prove-payment.ts'
import type { PlatformParts } from '../../platform-parts.ts'

/** The fields of an order that a test can set. */
export interface OrderTerms {
  readonly endpoint: string
  readonly agentId?: number
  readonly capability?: string
  readonly input?: JobOrder['input']
  readonly amountAtomic?: bigint
  readonly payTo?: string
  readonly payerKey?: string
  /** The validity of the payment in seconds; default 900. */
  readonly validSeconds?: number
  readonly deadlineSeconds?: number
  readonly jobId?: string
}

/**
 * Creates an order to count two words, with a payment that is bound to it, as every client of this project signs it.
 */
export async function signOrder(
  { crypto, network, clock }: Pick<PlatformParts, 'crypto' | 'network' | 'clock'>,
  terms: OrderTerms,
): Promise<JobOrder> {
  const { jobId = randomUUID(), capability = 'count', agentId = 1 } = terms
  const nowSeconds = clock.nowMs() / 1_000
  const { header } = await signPayment(
    crypto,
    privateKeySigner(crypto, terms.payerKey ?? TEST_KEYS.payer.privateKey),
    {
      network,
      requirement: createRequirement({
        network,
        payTo: terms.payTo ?? TEST_KEYS.agent.address,
        amountAtomic: terms.amountAtomic ?? 10_000n,
        maxDeadlineSeconds: 300,
      }),
      binding: { endpoint: `${terms.endpoint}/execute`, capability, jobId },
      nowSeconds,
      validBefore: Math.floor(nowSeconds) + (terms.validSeconds ?? 900),
    },
  )
  return {
    agent_id: agentId,
    capability,
    job_id: jobId,
    input: terms.input ?? { text: 'two words' },
    deadline: nowSeconds + (terms.deadlineSeconds ?? 300),
    payment: header,
  }
}

/** The context of an order from this machine, as the route creates it. */
export function orderingOf(parts: PlatformParts): Ordering {
  const [provePayment, admit] = [createProvePayment(parts), createOrderAdmission(parts)]
  return { kind: 'caller', provePayment, admit, from: '127.0.0.1', trace: readTraceparent(undefined) }
}
