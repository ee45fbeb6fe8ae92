import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { maxTimeoutSeconds } from '@farebox/payments/x402/requirement'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Connection } from '../exchange/client-options.ts'
import { deadlineAfterSigning, signForJob } from '../pay/sign-for-job.ts'
import { readJournalEntry, type ReadEntry } from './journal-entry.ts'
import { jobBody, type PlannedJob } from './plan-job.ts'
import { QuoteRefused } from './quote-refused.ts'
import type { Quote } from './read-quote.ts'

/**
 * Creates the pair that all requests of the job send: signs the payment, bound to this job (D13), and writes the body.
 *
 * @throws {QuoteRefused} when there is no signer
 * @throws {DeadlineError} when the signature came too late to be used; it was not sent and is not kept
 */
export async function signJob(
  { clock, signal }: Connection,
  job: PlannedJob,
  quote: Quote,
  { signer, crypto }: { readonly signer?: PaymentSigner; readonly crypto?: EvmCrypto },
): Promise<ReadEntry> {
  if (signer === undefined) {
    throw new QuoteRefused('signer', `given, to pay ${formatUsdc(quote.amountAtomic)} USDC`, undefined)
  }
  const evm = crypto ?? (await loadEvmCrypto())
  signal?.throwIfAborted()
  const signedAt = Math.floor(clock.nowMs() / 1_000)
  const validBefore = signedAt + validSeconds(job)
  const { agentUrl, jobId, capability } = job
  const { network, requirement } = quote
  const payable = { network, requirement, endpoint: `${agentUrl}/execute`, capability, jobId }
  const { header } = await signForJob(evm, signer, payable, { nowSeconds: signedAt, validBefore })
  signal?.throwIfAborted()
  const { deadlineSeconds } = job
  const deadline = deadlineAfterSigning(clock.nowMs() / 1_000, { deadlineSeconds, validBefore })
  if (deadline === undefined)
    throw new DeadlineError('the payment ran out before it was signed; nothing was sent')
  return readJournalEntry({ agentUrl, jobId, capability, body: jobBody(job, deadline), header })
}

/** Computed here, not taken from the agent: for this long the agent can charge for a job that it gave up. */
function validSeconds({ declaration, deadlineSeconds }: PlannedJob): number {
  return Math.max(
    maxTimeoutSeconds(declaration.max_deadline_seconds),
    // One second more, for the fraction that is cut off from the current time.
    Math.ceil(deadlineSeconds) + SETTLE_MARGIN_SECONDS + 1,
  )
}
