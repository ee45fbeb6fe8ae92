import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { RunPayment } from '@farebox/platform-api/flows/runs'
import type { Connection } from '../exchange/client-options.ts'
import { signForJob } from '../pay/sign-for-job.ts'
import type { PricedJob } from './price-jobs.ts'

/**
 * Signs a payment for each job of a run, one after the other: a wallet may show a dialog for each.
 *
 * @throws the signer's errors, and the reason of the caller's signal; nothing was sent then
 */
export async function signJobs(
  { clock, signal }: Connection,
  signer: PaymentSigner,
  jobs: readonly PricedJob[],
): Promise<readonly RunPayment[]> {
  const crypto = { keccak256: await loadKeccak() }
  const payments: RunPayment[] = []
  for (const { key, step, validSeconds, ...agreed } of jobs) {
    signal?.throwIfAborted()
    const nowSeconds = Math.floor(clock.nowMs() / 1_000)
    const payable = { ...agreed, capability: step.capability }
    const times = { nowSeconds, validBefore: nowSeconds + validSeconds }
    const { jobId, header } = await signForJob(crypto, signer, payable, times)
    payments.push({ key, job_id: jobId, payment: header })
  }
  signal?.throwIfAborted()
  return payments
}
