import { maxTimeoutSeconds } from '@farebox/payments/x402/requirement'
import type { CheckContext } from '../check/context.ts'
import { signedHeader } from '../check/forge-payment.ts'
import { refuseTerms } from '../check/refuse-terms.ts'
import type { SpendingBook } from './spending.ts'
import { NotApplicable } from '../exchange/verdicts.ts'

const DEFAULT_MAX_JOBS = 20

/**
 * Signs a payment by the payer for one job. This is the only place of a run that gives a valid payment to an unknown agent.
 * The payment is signed only for the agreed terms and only for as long as the declared deadline requires, regardless of the
 * 402 response.
 *
 * Throws `NotApplicable` when the payment must not be signed.
 */
export async function payForJob(
  context: CheckContext,
  book: SpendingBook,
  job: { readonly jobId: string; readonly capability: string | undefined },
): Promise<string> {
  const { signer, maxPrice, maxJobs = DEFAULT_MAX_JOBS, network, agreed } = context.payer()
  const terms = await context.terms(job.capability)
  if (network !== undefined && terms.network.id !== network) {
    throw new NotApplicable('payer', `it is paid on ${terms.network.id}, the payer pays on ${network}`)
  }
  const declaration = agreed ?? (await context.agent()).declaration
  const refusal = refuseTerms(terms, declaration)
  if (refusal !== undefined) throw new NotApplicable('agent', `nothing was signed: ${refusal}`)
  const amountAtomic = BigInt(terms.requirement.amount)
  if (amountAtomic > maxPrice) throw new NotApplicable('budget', 'the job costs more than the payer allows')
  if (book.spending().payments >= maxJobs) {
    throw new NotApplicable('budget', `the payer allows ${maxJobs} paid jobs`)
  }
  const validBefore = Math.floor(context.nowSeconds()) + maxTimeoutSeconds(declaration.max_deadline_seconds)
  book.noteSigned(amountAtomic, validBefore)
  return await signedHeader(context, { signer, terms, jobId: job.jobId, validBefore })
}
