import { randomBytes, randomUUID } from 'node:crypto'
import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { StormOrder } from '../event-log.ts'
import { PUBLIC_URL } from '../stage/storm-agent.ts'
import type { StormStage } from '../stage/storm-stage.ts'

/** What a job of `agent/agent.json` costs. */
const PRICE_ATOMIC = 10_000n
const MAX_DEADLINE_SECONDS = 60
const CAPABILITY = 'note'

/** What is ordered. */
export interface OrderWish {
  readonly payer: PaymentSigner
  /** How long the handler takes. */
  readonly waitMs?: number
  /** From now; default 45 s. */
  readonly deadlineSeconds?: number
}

/** An order paid as our client pays: the nonce is bound to the job (D13). */
export async function signOrder(stage: StormStage, wish: OrderWish): Promise<StormOrder> {
  const jobId = randomUUID()
  const { network, crypto } = stage
  const { header, authorization } = await signPayment(crypto, wish.payer, {
    network,
    requirement: requirementOf(stage),
    binding: { endpoint: `${PUBLIC_URL}/execute`, capability: CAPABILITY, jobId },
    nowSeconds: Date.now() / 1_000,
  })
  return placed(stage, { jobId, body: jobBody(jobId, wish), header, authorization })
}

/**
 * Orders that send one and the same payment, under a nonce that is bound to nothing, as stock clients make it. At most
 * one of them can be served.
 */
export async function signRivals(
  stage: StormStage,
  wish: OrderWish,
  count: number,
): Promise<readonly StormOrder[]> {
  const requirement = requirementOf(stage)
  const authorization: Authorization = {
    from: wish.payer.address.toLowerCase(),
    to: requirement.payTo.toLowerCase(),
    value: requirement.amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + requirement.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  }
  const signature = await wish.payer.signTypedData(authorizationTypedData(stage.network, authorization))
  const header = encodeHeader({
    x402Version: 2,
    accepted: requirement,
    payload: { authorization, signature },
  })
  return Array.from({ length: count }, () => {
    const jobId = randomUUID()
    return placed(stage, { jobId, body: jobBody(jobId, wish), header, authorization })
  })
}

function placed({ eventLog }: StormStage, order: StormOrder): StormOrder {
  eventLog.place(order)
  return order
}

function requirementOf({ network, wallet }: StormStage): ReturnType<typeof createRequirement> {
  return createRequirement({
    network,
    payTo: wallet,
    amountAtomic: PRICE_ATOMIC,
    maxDeadlineSeconds: MAX_DEADLINE_SECONDS,
  })
}

function jobBody(jobId: string, { waitMs = 0, deadlineSeconds = 45 }: OrderWish): string {
  return JSON.stringify({
    service_version: '1.0',
    job_id: jobId,
    task: { capability: CAPABILITY, input: { text: jobId, wait_ms: waitMs } },
    deadline: Math.floor(Date.now() / 1_000) + deadlineSeconds,
  })
}
