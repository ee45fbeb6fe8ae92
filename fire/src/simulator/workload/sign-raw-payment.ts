import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { authorizationTypedData, signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { readPrice } from '@farebox/protocol/money/usdc'
import type { AgentParty } from '../parties/agent-party.ts'
import type { World } from '../world.ts'

/** A payment as a program makes it that is not ours. */
export interface RawPayment {
  readonly header: string
  readonly authorization: Authorization
  readonly signature: string
}

/** What is paid. */
export interface RawTerms {
  readonly agent: AgentParty
  readonly wallet: string
  readonly capability: string
  /** Unix seconds. */
  readonly validBefore: number
  /** The job it is bound to by its nonce (D13); undefined for a nonce that is free. */
  readonly boundTo: string | undefined
  /** 32 bytes; default: fresh. Two payments with one nonce are one payment. */
  readonly nonce?: string
}

/** Signs a payment, bound to its job as our client would, or free as others do. */
export async function signRawPayment(
  world: World,
  signer: PaymentSigner,
  terms: RawTerms,
): Promise<RawPayment> {
  const { network, crypto, random } = world
  const { agent, wallet, capability, validBefore, boundTo } = terms
  const price = readPrice(agent.declaration.capabilities[capability]?.pricing.amount)
  if (!price.ok) throw new Error(`${agent.name} has no price for ${capability}`)
  const requirement = createRequirement({
    network,
    payTo: wallet,
    amountAtomic: price.atomic,
    maxDeadlineSeconds: agent.declaration.max_deadline_seconds,
  })
  if (boundTo !== undefined) {
    return await signPayment(crypto, signer, {
      network,
      requirement,
      binding: { endpoint: `${agent.url}/execute`, capability, jobId: boundTo },
      nowSeconds: 0,
      validBefore,
    })
  }
  const authorization: Authorization = {
    from: signer.address,
    to: wallet,
    value: requirement.amount,
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: terms.nonce ?? random.hex(32),
  }
  const signature = await signer.signTypedData(authorizationTypedData(network, authorization))
  const header = encodeHeader({
    x402Version: 2,
    accepted: requirement,
    payload: { authorization, signature },
  })
  return { header, authorization, signature }
}
