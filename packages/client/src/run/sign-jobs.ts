import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { RunPayment } from '@farebox/platform-api/flows/runs'
import type { Connection } from '../exchange/client-options.ts'
import type { PricedJob } from './price-jobs.ts'

/**
 * Signs a payment for each job, bound to it by its nonce (D13), one after the other: a wallet may show a window for each.
 * The one place where money of a run is signed for.
 *
 * @throws whatever the signer throws, and the reason of the caller's signal; nothing was sent then
 */
export async function signJobs(
  { clock, signal }: Connection,
  signer: PaymentSigner,
  jobs: readonly PricedJob[],
): Promise<readonly RunPayment[]> {
  const crypto = { keccak256: await loadKeccak() }
  const payments: RunPayment[] = []
  for (const { key, step, network, requirement, endpoint, validSeconds } of jobs) {
    signal?.throwIfAborted()
    const jobId = globalThis.crypto.randomUUID()
    const signedAt = Math.floor(clock.nowMs() / 1_000)
    const { header } = await signPayment(crypto, signer, {
      network,
      requirement,
      binding: { endpoint, capability: step.capability, jobId },
      nowSeconds: signedAt,
      validBefore: signedAt + validSeconds,
    })
    payments.push({ key, job_id: jobId, payment: header })
  }
  signal?.throwIfAborted()
  return payments
}
