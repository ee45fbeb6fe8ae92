import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import { signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'

/** A job to sign a payment for; every value was compared with the order. */
export interface PayableJob {
  readonly network: Network
  readonly requirement: PaymentRequirement
  /** The URL that the job is posted to, not the one that the agent claims. */
  readonly endpoint: string
  readonly capability: string
  /** UUID v4; a new one when absent. */
  readonly jobId?: string
}

/** When a payment is signed and until when it is valid; Unix seconds. */
export interface PaymentTimes {
  readonly nowSeconds: number
  readonly validBefore: number
}

/**
 * Signs the payment of one job, bound to it by its nonce (D13). The terminal, the pages, hires and programs all sign through
 * this function.
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
 * The deadline of a job whose payment was just signed, in Unix seconds. The agent's time counts from now, because a person
 * may take a while in the wallet; it ends early enough for the payment to be settled (D17).
 *
 * @returns undefined when the signature came too late to be used: nothing may be sent then
 * @returns undefined where the signature came too late to be of use: nothing may be sent then
 */
export function deadlineAfterSigning(
  nowSeconds: number,
  { deadlineSeconds, validBefore }: { readonly deadlineSeconds: number; readonly validBefore: number },
): number | undefined {
  const deadline = Math.min(nowSeconds + deadlineSeconds, validBefore - SETTLE_MARGIN_SECONDS)
  return deadline > nowSeconds ? deadline : undefined
}
