import type { Flow } from '@farebox/flows/document/flow'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { runQuote } from '@farebox/platform-api/flows/run-quote'
import { runProgress, type RunPayment, type RunProgress } from '@farebox/platform-api/flows/runs'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { askUntilAnswered } from '../exchange/ask-platform.ts'
import type { Connection } from '../exchange/client-options.ts'
import { PlatformRefused } from '../exchange/platform-errors.ts'
import { findRunJob, neededPayments } from './judge-run.ts'
import { priceJobs } from './price-jobs.ts'
import { PaymentNeeded, RunRefused, type NeededPayment } from './run-errors.ts'
import { runRequestHeaders, runUrl, type RunHandle } from './run-record.ts'
import { signJobs } from './sign-jobs.ts'
import { readAuthorization, type RunSpending } from './spending.ts'
import { readProgress } from './watch-run.ts'

/** A run that payments can be brought to. */
export interface PaidRun {
  readonly connection: Connection
  readonly handle: RunHandle
  readonly flow: Flow
  readonly signer: PaymentSigner | undefined
  readonly networks: readonly string[] | undefined
  /** Decimal USDC that may be signed for in all. */
  readonly maxTotal: string
  readonly spending: RunSpending
  /** What was signed for it, the newest last. */
  readonly signed: readonly RunPayment[]
  /** The jobs whose payments the platform did not take. */
  readonly refused: Set<string>
  /** Writes down what was signed more, before any of it is sent. */
  keep(payments: readonly RunPayment[]): Promise<void>
}

/**
 * Brings the payments that a run asks for: first those that were signed and that it does not know, the very same; else
 * new ones, by prices that are asked for now.
 *
 * @returns the state of the run then; undefined where it asks for none
 * @throws {PaymentNeeded} where they cannot be signed: nobody signs, they are more than the run may come to, or their
 *   agents name no price that can be paid
 */
export async function bringPayments(run: PaidRun, progress: RunProgress): Promise<RunProgress | undefined> {
  const needed = neededPayments(progress)
  const [first] = needed
  if (first === undefined) return undefined
  const known = needed.flatMap(({ key }) => unknownToPlatform(run, progress, key))
  if (known.length > 0) return (await bring(run, known)).progress
  if (run.signer === undefined) throw unsigned(run, progress, first, 'nobody is there to sign it')
  const payments = await signNeeded(run, run.signer, progress, needed)
  await run.keep(payments)
  run.connection.signal?.throwIfAborted()
  const { progress: brought, refusal } = await bring(run, payments)
  const missing = neededPayments(brought).find(({ key }) => payments.some(one => one.key === key))
  if (refusal !== undefined && missing !== undefined)
    throw unsigned(run, brought, missing, refusal.message, refusal)
  return brought
}

/** A payment that was signed, and perhaps never arrived: while it is good no other is signed in its place. */
function unknownToPlatform(
  { connection, signed, refused }: PaidRun,
  run: RunProgress,
  key: string,
): readonly RunPayment[] {
  const newest = signed.findLast(payment => payment.key === key)
  if (newest === undefined || refused.has(newest.job_id)) return []
  if (readAuthorization(newest.payment).validBefore <= connection.clock.nowMs() / 1_000) return []
  return findRunJob(run, key)?.payment?.job_id === newest.job_id ? [] : [newest]
}

async function signNeeded(
  run: PaidRun,
  signer: PaymentSigner,
  progress: RunProgress,
  needed: readonly NeededPayment[],
): Promise<readonly RunPayment[]> {
  const { connection, handle, flow, networks, spending } = run
  const keys = needed.map(({ key }) => key)
  const byKey = new Map(needed.map(one => [one.key, one]))
  const [first] = needed
  try {
    const quote = await askUntilAnswered(connection, {
      method: 'POST',
      url: `${handle.platformUrl}/v1/runs/quote`,
      body: JSON.stringify({ flow, keys }),
      schema: runQuote,
    })
    const asked = quote.jobs.filter(({ key }) => byKey.has(key))
    const jobs = priceJobs(flow, { ...quote, jobs: asked }, networks)
    let together = 0n
    for (const { key, amountAtomic } of jobs) {
      together += amountAtomic
      const one = byKey.get(key)
      if (one !== undefined && !spending.fits(together))
        throw unsigned(
          run,
          progress,
          one,
          `${tooMuch(spending.total, together)} USDC would be signed for in all`,
        )
    }
    const signed = await signJobs(connection, signer, jobs)
    if (signed.length > 0 || first === undefined) return signed
    throw unsigned(run, progress, first, 'the platform quotes no price for it')
  } catch (error) {
    const isOurs = error instanceof RunRefused || error instanceof PlatformRefused
    if (!isOurs || first === undefined) throw error
    const named = error instanceof RunRefused && error.step !== undefined ? byKey.get(error.step) : undefined
    throw unsigned(run, progress, named ?? first, error.message, error)
  }
}

/** What the run does not take any more is no fault where it does not ask for it any more either. */
async function bring(
  { connection, handle, refused, maxTotal }: PaidRun,
  payments: readonly RunPayment[],
): Promise<{ readonly progress: RunProgress; readonly refusal?: PlatformRefused }> {
  try {
    const progress = await askUntilAnswered(connection, {
      method: 'PUT',
      url: runUrl(handle, '/payments'),
      headers: runRequestHeaders(handle),
      // Where it is more than the run was started with, somebody has raised it; less changes nothing.
      body: JSON.stringify({ payments, max_total: maxTotal }),
      schema: runProgress,
    })
    return { progress }
  } catch (error) {
    if (!(error instanceof PlatformRefused)) throw error
    for (const { job_id: jobId } of payments) refused.add(jobId)
    return { progress: await readProgress(connection, handle), refusal: error }
  }
}

/** maxTotal counts every signature, whatever is said to have become of it. */
function tooMuch(total: bigint, more: bigint): string {
  return `more than maxTotal: with it ${formatUsdc(total + more)}`
}

function unsigned(
  { handle }: PaidRun,
  run: RunProgress,
  needed: NeededPayment,
  reason: string,
  cause?: unknown,
): PaymentNeeded {
  return new PaymentNeeded(handle, run, { ...needed, reason }, cause === undefined ? undefined : { cause })
}
