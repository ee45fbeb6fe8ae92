import type { RunPayment } from '@farebox/platform-api/flows/runs'
import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { signQuote } from '../../orders/sign-quote.ts'
import type { Wallet } from '../../wallet/wallet.ts'

/** A job of a run for which a payment is signed. */
export interface Signable {
  readonly key: string
  /** As in the flow. */
  readonly agentId: number
  /** As in the flow, and as shown to the reader. */
  readonly capability: string
  readonly quote: QuoteAnswer
  /** Unix seconds, as shown to the reader. */
  readonly usableUntil: number
}

/**
 * Has a wallet sign one payment after another, each for its own job. Rejects when one is not signed; the payments signed
 * before it are then discarded, and no one else has them.
 *
 * @param tell called before each signature, with its number from 1
 * @param signal stops before the next signature
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
