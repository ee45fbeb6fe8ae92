import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { maxTimeoutSeconds } from '@farebox/payments/x402/requirement'
import { signPayment, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { DeadlineError } from '@farebox/protocol/errors/service-errors'
import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Connection } from '../exchange/client-options.ts'
import { readJournalEntry, type ReadEntry } from './journal-entry.ts'
import { jobBody, type PlannedJob } from './plan-job.ts'
import { QuoteRefused } from './quote-refused.ts'
import type { Quote } from './read-quote.ts'

/**
 * Makes the pair that is sent from now on: signs the payment, bound to this job (D13), and writes the body.
 * The one place of this package where money is signed for.
 *
 * The deadline is fixed after the signature: a person may look at the wallet for a while, and the agent's
 * time should not run meanwhile. What remains until `validBefore` bounds it in any case (D17).
 *
 * @throws {QuoteRefused} when nobody is there to sign
 * @throws {DeadlineError} when the signature came too late to be of use; it has not been sent, and is not
 *   kept
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
  const { header } = await signPayment(evm, signer, {
    network: quote.network,
    requirement: quote.requirement,
    // The URL that is called, not the one that the agent claims to be.
    binding: { endpoint: `${agentUrl}/execute`, capability, jobId },
    nowSeconds: signedAt,
    validBefore,
  })
  signal?.throwIfAborted()
  const now = clock.nowMs() / 1_000
  const deadline = Math.min(now + job.deadlineSeconds, validBefore - SETTLE_MARGIN_SECONDS)
  if (deadline <= now) throw new DeadlineError('the payment ran out before it was signed; nothing was sent')
  return readJournalEntry({ agentUrl, jobId, capability, body: jobBody(job, deadline), header })
}

/** By our own reckoning, not the agent's wish: so long it can charge for a job that it gave up. */
function validSeconds({ declaration, deadlineSeconds }: PlannedJob): number {
  return Math.max(
    maxTimeoutSeconds(declaration.max_deadline_seconds),
    // One more for the fraction of a second that was cut off now.
    Math.ceil(deadlineSeconds) + SETTLE_MARGIN_SECONDS + 1,
  )
}
