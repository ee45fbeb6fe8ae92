import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import { signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'

/** A job that a payment is signed for; all of it was compared with the order. */
export interface PayableJob {
  readonly network: Network
  readonly requirement: PaymentRequirement
  /** The URL that is posted to, not the one that the agent claims to be. */
  readonly endpoint: string
  readonly capability: string
  /** UUID v4; a new one where it is absent. */
  readonly jobId?: string
}

/** When a payment is signed and until when it can be used; Unix seconds. */
export interface PaymentTimes {
  readonly nowSeconds: number
  readonly validBefore: number
}

/**
 * Signs the payment of one job, bound to it by its nonce (D13). The one place where terminal, pages, hires and programs
 * sign for money.
 *
 * @returns the job's id and the value of `PAYMENT-SIGNATURE`: keep both before anything is sent
 */
export async function signForJob(
  crypto: Pick<EvmCrypto, 'keccak256'>,
  signer: PaymentSigner,
  { network, requirement, endpoint, capability, jobId = globalThis.crypto.randomUUID() }: PayableJob,
  { nowSeconds, validBefore }: PaymentTimes,
): Promise<{ readonly jobId: string; readonly header: string }> {
  const binding = { endpoint, capability, jobId }
  const { header } = await signPayment(crypto, signer, {
    network,
    requirement,
    binding,
    nowSeconds,
    validBefore,
  })
  return { jobId, header }
}

/**
 * The deadline of a job whose payment was just signed, in Unix seconds: the time for the agent counts from now, because a
 * person may look at the wallet for a while, and ends early enough for the payment to be settled (D17).
 *
 * @param nowSeconds - after the signature
 * @returns undefined where the signature came too late to be of use: nothing may be sent then
 */
export function deadlineAfterSigning(
  nowSeconds: number,
  { deadlineSeconds, validBefore }: { readonly deadlineSeconds: number; readonly validBefore: number },
): number | undefined {
  const deadline = Math.min(nowSeconds + deadlineSeconds, validBefore - SETTLE_MARGIN_SECONDS)
  return deadline > nowSeconds ? deadline : undefined
}
