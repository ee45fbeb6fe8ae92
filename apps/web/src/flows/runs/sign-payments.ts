import type { RunPayment } from '@farebox/platform-api/flows/runs'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { signQuote } from '../../orders/sign-quote.ts'
import type { Wallet } from '../../wallet/wallet.ts'

/** One job of a run that a payment is signed for. */
export interface Signable {
  readonly key: string
  /** As the flow has it. */
  readonly agentId: number
  /** As the flow has it, and as it is shown. */
  readonly capability: string
  readonly quote: QuoteAnswer
  /** Unix seconds, as it is shown. */
  readonly usableUntil: number
}

/**
 * Has a wallet sign one payment after another, each for its own job. Rejects where one is not signed: then there is none,
 * and those that were signed before it are known to this page alone and are forgotten.
 *
 * @param tell called before each is signed, with its number from 1
 * @param signal ends it before the next one
 */
export async function signPayments(
  wallet: Wallet,
  jobs: readonly Signable[],
  tell: (number: number) => void,
  signal: AbortSignal,
): Promise<readonly RunPayment[]> {
  const signed: RunPayment[] = []
  for (const { key, quote, ...shown } of jobs) {
    signal.throwIfAborted()
    tell(signed.length + 1)
    const { jobId, header } = await signQuote(wallet, quote, shown)
    signed.push({ key, job_id: jobId, payment: header })
  }
  signal.throwIfAborted()
  return signed
}
