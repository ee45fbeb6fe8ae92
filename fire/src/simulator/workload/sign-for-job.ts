import { paymentKey } from '@farebox/payments/authorization/eip-3009'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Payer } from './cast.ts'
import { nameOf, type ErrandParts, type KnownJob } from './errand.ts'
import { makeMischief } from './mischief.ts'
import { signRawPayment, type RawPayment } from './sign-raw-payment.ts'

/** How a payment differs from an ordinary one. */
export interface Signing {
  readonly isBound?: boolean
  readonly nonce?: string
  readonly laterSeconds?: number
  /** Signed by the payer, in the name of somebody else. */
  readonly claimsToBe?: Payer
}

/** Signs a payment for a job, and lets happen to it what is to happen. */
export async function signForJob(
  parts: ErrandParts,
  process: VirtualProcess,
  payer: Payer,
  job: KnownJob,
  { isBound = parts.plan.isBound, nonce, laterSeconds = 0, claimsToBe }: Signing = {},
): Promise<RawPayment> {
  const { world, plan, random, walletOf } = parts
  const signer = claimsToBe === undefined ? payer.signer : { ...payer.signer, address: claimsToBe.address }
  const payment = await signRawPayment(world, signer, {
    agent: job.agent,
    wallet: walletOf(job.agent),
    capability: job.capability,
    validBefore: Math.floor(process.nowMs() / 1_000) + plan.validSeconds + laterSeconds,
    boundTo: isBound && nonce === undefined ? job.jobId : undefined,
    ...(nonce === undefined ? {} : { nonce }),
  })
  if (isBound && nonce === undefined)
    world.boundTo.set(paymentKey(world.network, payment.authorization), nameOf(job))
  if (plan.mischief !== undefined) makeMischief(world, plan.mischief, payer, payment, random)
  return payment
}
