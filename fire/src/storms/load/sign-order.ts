import { randomBytes, randomUUID } from 'node:crypto'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { localNetwork } from '../../../../e2e/stage/pay.ts'
import { authorizationKey } from '../audit/read-chain.ts'
import type { StormOrder } from '../event-log.ts'
import type { Stage } from '../stage/stage.ts'

/** What all replicas call themselves, so that a payment bound to the job is good at each (D13). */
export const PUBLIC_URL = 'https://storms.example'
/** The only capability of `agent/agent.json`, and what it costs. */
export const CAPABILITY = 'note'
const PRICE_ATOMIC = 10_000n
const MAX_DEADLINE_SECONDS = 300
const DEADLINE_SECONDS = 45
/** Of a payment, beyond the deadline of its job. */
const VALID_LONGER_SECONDS = 50

/** Base Sepolia, as the local chain plays it. */
const NETWORK = localNetwork()

/** What is ordered. */
export interface OrderWish {
  readonly payer: PaymentSigner
  /** How long the handler takes. */
  readonly waitMs?: number
  /** Default 45. */
  readonly deadlineSeconds?: number
}

/** An order paid as our client pays: the nonce is bound to the job (D13). */
export async function signOrder(stage: Stage, wish: OrderWish): Promise<StormOrder> {
  const jobId = randomUUID()
  const { header, authorization } = await signPayment(stage.crypto, wish.payer, {
    network: NETWORK,
    requirement: requirementOf(stage),
    binding: { endpoint: `${PUBLIC_URL}/execute`, capability: CAPABILITY, jobId },
    nowSeconds: Date.now() / 1_000,
    validBefore: validBefore(wish),
  })
  return placed(stage, jobId, wish, { header, authorization })
}

/**
 * Orders that send one and the same payment, under a nonce that is bound to nothing, as stock clients make it. At most
 * one of them can be served.
 */
export async function signRivals(
  stage: Stage,
  wish: OrderWish,
  count: number,
): Promise<readonly StormOrder[]> {
  const requirement = requirementOf(stage)
  const authorization: Authorization = {
    from: wish.payer.address.toLowerCase(),
    to: requirement.payTo.toLowerCase(),
    value: requirement.amount,
    validAfter: '0',
    validBefore: String(validBefore(wish)),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const signature = await wish.payer.signTypedData(authorizationTypedData(NETWORK, authorization))
  const header = encodeHeader({
    x402Version: 2,
    accepted: requirement,
    payload: { authorization, signature },
  })
  return Array.from({ length: count }, () => placed(stage, randomUUID(), wish, { header, authorization }))
}

function placed(
  { eventLog }: Stage,
  jobId: string,
  { waitMs = 0, deadlineSeconds = DEADLINE_SECONDS }: OrderWish,
  payment: Pick<StormOrder, 'header' | 'authorization'>,
): StormOrder {
  const body = JSON.stringify({
    service_version: '1.0',
    job_id: jobId,
    task: { capability: CAPABILITY, input: { text: jobId, wait_ms: waitMs } },
    deadline: Math.floor(Date.now() / 1_000) + deadlineSeconds,
  })
  const { from, nonce } = payment.authorization
  const order = { jobId, body, ...payment, group: authorizationKey({ payer: from, nonce }) }
  eventLog.orders.set(jobId, order)
  return order
}

function validBefore({ deadlineSeconds = DEADLINE_SECONDS }: OrderWish): number {
  return Math.floor(Date.now() / 1_000) + deadlineSeconds + VALID_LONGER_SECONDS
}

function requirementOf({ wallet }: Stage): ReturnType<typeof createRequirement> {
  return createRequirement({
    network: NETWORK,
    payTo: wallet,
    amountAtomic: PRICE_ATOMIC,
    maxDeadlineSeconds: MAX_DEADLINE_SECONDS,
  })
}
