import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import type { RunAnswer, RunPayment } from '@farebox/platform-api/flows/runs'
import type { ToSign } from '../../flows/run-view/next-action.ts'
import type { Signable } from '../../flows/runs/sign-payments.ts'
import { fromAtomic, toAtomic } from '../../format/amount.ts'
import type { KeptRun } from '../../kept/kept-run.ts'
import type { StopReason } from '../../orders/explain-stop.ts'
import type { PlatformOnChain } from '../../orders/ready-wallet.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'
import type { Wallet } from '../../wallet/wallet.ts'

/** The jobs of a run to pay for. */
export interface StepsToPay {
  readonly run: RunAnswer
  /** Opens the run; undefined when the payer is signed in. */
  readonly token: string | undefined
  readonly jobs: readonly ToSign[]
}

/** Whether the payments were sent. */
export type StepsPaid =
  | { readonly isSent: true }
  | {
      readonly isSent: false
      /** Undefined when the reader has chosen no wallet. */
      readonly stop?: StopReason
      /** The agents' current prices by job key, set when one of them has changed. */
      readonly prices?: ReadonlyMap<string, string>
    }

/**
 * Signs a payment for each of these jobs, stores the payments, and sends them. Only amounts that the reader was shown are
 * signed.
 *
 * @param begin called before each step, with its description
 */
export async function payForSteps(
  { ask, platform, connect }: PlatformOnChain & { readonly connect: ConnectWallet },
  { run, token, jobs }: StepsToPay,
  begin: (words: string) => void,
  signal: AbortSignal,
): Promise<StepsPaid> {
  const wallet = await connect()
  if (wallet === undefined) return { isSent: false }
  if (run.payer !== null && run.payer !== wallet.address) return stopped(OTHER_PAYER, true)
  begin('Getting the price')
  const quoted = await askPrices(ask, run, jobs, signal)
  const prices = pricesOf(quoted)
  if (jobs.some(({ key, price }) => toAtomic(prices.get(key) ?? '') !== toAtomic(price)))
    return { ...stopped('The price changed after it was shown. Nothing was signed.'), prices }
  const total = sumOf([...prices.values()])
  const [{ readyWallet }, { signPayments }] = await Promise.all([
    import('../../orders/ready-wallet.ts'),
    import('../../flows/runs/sign-payments.ts'),
  ])
  const short = await readyWallet({ ask, platform }, wallet, total)
  if (short !== undefined) return stopped(short, true)
  const count = (number: number): void => begin(`Signing ${number} of ${jobs.length}`)
  const payments = await signPayments(wallet, signables(jobs, quoted), count, signal)
  begin('Sending')
  const kept = keptOf({ run, token, wallet, payments, maxTotal: raiseLimit(run, total) })
  await keepAndSend(ask, kept, () => begin('No response, sending again'), signal)
  return { isSent: true }
}

type ConnectWallet = () => Promise<Wallet | undefined>

const OTHER_PAYER = 'This run is paid for by another wallet. Nothing was sent.'

function stopped(sentence: string, isShort = false): { readonly isSent: false; readonly stop: StopReason } {
  return { isSent: false, stop: { sentence, tone: 'warn', isShort } }
}

/** @throws with the agent's reason when it returns no price */
async function askPrices(
  ask: Ask,
  { flow }: RunAnswer,
  jobs: readonly ToSign[],
  signal: AbortSignal,
): Promise<RunQuote> {
  const body = { flow, keys: jobs.map(({ key }) => key) }
  const quoted = await ask('/v1/runs/quote', answers.runQuote, { method: 'POST', body, signal })
  const silent = quoted.jobs.find(({ quote }) => quote === null)
  if (silent !== undefined) throw new Error(silent.error ?? 'An agent did not return a price')
  return quoted
}

function pricesOf({ jobs }: RunQuote): ReadonlyMap<string, string> {
  return new Map(jobs.flatMap(({ key, quote }) => (quote === null ? [] : [[key, quote.amount] as const])))
}

/** The sum of decimal USDC amounts, in atomic units. */
function sumOf(amounts: readonly string[]): bigint {
  return amounts.reduce((sum, amount) => sum + (toAtomic(amount) ?? 0n), 0n)
}

function signables(jobs: readonly ToSign[], quoted: RunQuote): readonly Signable[] {
  const now = Math.floor(Date.now() / 1_000)
  return jobs.flatMap(({ key, agentId, capability }): Signable[] => {
    const found = quoted.jobs.find(one => one.key === key)
    if (found?.quote === undefined || found.quote === null) return []
    const usableUntil = now + Math.ceil(found.valid_for_seconds)
    return [{ key, agentId, capability, quote: found.quote, usableUntil }]
  })
}

/** The most that the run may cost in decimal USDC: raised if these payments need it. */
function raiseLimit({ paid, exposed, ready, max_total: before }: RunAnswer, more: bigint): string {
  const needed = sumOf([paid, exposed, ready]) + more
  return needed > (toAtomic(before) ?? 0n) ? fromAtomic(needed) : before
}

function keptOf(signed: {
  readonly run: RunAnswer
  readonly token: string | undefined
  readonly wallet: Wallet
  readonly payments: readonly RunPayment[]
  readonly maxTotal: string
}): KeptRun {
  const { run, token, wallet, payments, maxTotal } = signed
  return {
    run_id: run.run_id,
    ...(token !== undefined && { run_token: token }),
    ...(run.flow_id !== null && { flow_id: run.flow_id }),
    // The platform validated the flow when the run was started.
    flow: run.flow as unknown as KeptRun['flow'],
    input: run.input as KeptRun['input'],
    max_total: maxTotal,
    unsent: payments,
    is_started: true,
    payer: wallet.address,
    wallet: wallet.name,
    created_at: run.created_at,
  }
}

/** Stores payments before they are sent, so that a repeat sends the same payments. */
async function keepAndSend(
  ask: Ask,
  signed: KeptRun,
  onUnanswered: () => void,
  signal: AbortSignal,
): Promise<void> {
  const [{ keepRun, readKeptRun, updateRun }, { sendKeptRun }] = await Promise.all([
    import('../../kept/run-store.ts'),
    import('../../flows/runs/send-run.ts'),
  ])
  const { run_id: runId, unsent: payments, max_total: maxTotal } = signed
  if ((await readKeptRun(runId)) === undefined) await keepRun(signed)
  else await updateRun(runId, ({ unsent }) => ({ unsent: [...unsent, ...payments], max_total: maxTotal }))
  const { failure } = await sendKeptRun(ask, runId, onUnanswered, signal)
  if (failure !== undefined) throw failure
}
