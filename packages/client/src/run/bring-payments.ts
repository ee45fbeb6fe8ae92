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

/** A run that takes payments. */
export interface PaidRun {
  readonly connection: Connection
  readonly handle: RunHandle
  readonly flow: Flow
  readonly signer: PaymentSigner | undefined
  readonly networks: readonly string[] | undefined
  /** The most that may be signed for in total, in decimal USDC. */
  readonly maxTotal: string
  readonly spending: RunSpending
  /** The payments signed for the run, newest last. */
  readonly signed: readonly RunPayment[]
  /** The jobs whose payments the platform refused. */
  readonly refused: Set<string>
  /** Journals additional payments before any of them is sent. */
  keep(payments: readonly RunPayment[]): Promise<void>
}

/**
 * Sends the payments that a run asks for: first those already signed that the platform does not have, unchanged; otherwise
 * new ones, at current prices.
 *
 * @returns the new state of the run; undefined when it asks for no payment
 * @throws {PaymentNeeded} when they cannot be signed: there is no signer, they exceed the limit of the run, or their
 *   agents offer no price that can be paid
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

/** A signed payment that may not have arrived: while it is valid, no other is signed in its place. */
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

/** A payment that the run refuses is not an error if the run no longer asks for it. */
async function bring(
  { connection, handle, refused, maxTotal }: PaidRun,
  payments: readonly RunPayment[],
): Promise<{ readonly progress: RunProgress; readonly refusal?: PlatformRefused }> {
  try {
    const progress = await askUntilAnswered(connection, {
      method: 'PUT',
      url: runUrl(handle, '/payments'),
      headers: runRequestHeaders(handle),
      // A higher limit than the run was started with was raised by the caller; a lower one changes nothing.
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

/** Every signature counts toward `maxTotal`, whatever its reported outcome. */
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
