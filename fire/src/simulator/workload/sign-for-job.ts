import { paymentKey, type Authorization } from '@farebox/payments/authorization/eip-3009'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, signPayment, type SignedPayment } from '@farebox/payments/x402/sign-payment'
import { readPrice } from '@farebox/protocol/money/usdc'
import type { Payer } from './cast.ts'
import { nameOf, type Errand, type KnownJob } from './errand.ts'
import { makeMischief } from './mischief.ts'

/** The deviation of a payment from an ordinary one. */
export interface Signing {
  readonly isBound?: boolean
  /** 32 bytes; default: new. Two payments with one nonce are one payment. */
  readonly nonce?: string
  readonly laterSeconds?: number
  /** Signed by the payer, in the name of another account. */
  readonly claimsToBe?: Payer
}

/** Signs a payment for a job, bound to it like our client's, or unbound; and applies the planned interference. */
export async function signForJob(
  errand: Errand,
  payer: Payer,
  job: KnownJob,
  { isBound = errand.plan.isBound, nonce, laterSeconds = 0, claimsToBe = payer }: Signing = {},
): Promise<SignedPayment> {
  const { world, plan, random, process } = errand
  const { network, crypto } = world
  const { agent, capability, jobId } = job
  const signer = { ...payer.signer, address: claimsToBe.address }
  const price = readPrice(agent.declaration.capabilities[capability]?.pricing.amount)
  if (!price.ok) throw new Error(`${agent.name} has no price for ${capability}`)
  const requirement = createRequirement({
    network,
    payTo: agent.wallet,
    amountAtomic: price.atomic,
    maxDeadlineSeconds: agent.declaration.max_deadline_seconds,
  })
  const validBefore = Math.floor(process.nowMs() / 1_000) + plan.validSeconds + laterSeconds
  const sign = async (): Promise<SignedPayment> => {
    if (isBound && nonce === undefined) {
      const binding = { endpoint: `${agent.url}/execute`, capability, jobId }
      return await signPayment(crypto, signer, { network, requirement, binding, nowSeconds: 0, validBefore })
    }
    const authorization: Authorization = {
      from: signer.address,
      to: agent.wallet,
      value: requirement.amount,
      validAfter: '0',
      validBefore: String(validBefore),
      nonce: nonce ?? world.random.hex(32),
    }
    const signature = await signer.signTypedData(authorizationTypedData(network, authorization))
    const payload = { authorization, signature }
    return { ...payload, header: encodeHeader({ x402Version: 2, accepted: requirement, payload }) }
  }
  const payment = await sign()
  if (isBound && nonce === undefined)
    world.boundTo.set(paymentKey(network, payment.authorization), nameOf(job))
  if (plan.mischief !== undefined) makeMischief(world, plan.mischief, payer, payment, random)
  return payment
}
