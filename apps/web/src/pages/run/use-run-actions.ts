import type { RunQuote } from '@farebox/platform-api/flows/run-quote'
import type { RunAnswer, RunPayment } from '@farebox/platform-api/flows/runs'
import { useState } from 'react'
import { fromAtomic, toAtomic } from '../../format/amount.ts'
import { explainStop } from '../../orders/explain-stop.ts'
import { isUnanswered } from '../../orders/put-until-answered.ts'
import type { OpenedRun } from '../../flows/runs/open-run.ts'
import type { Signable } from '../../flows/runs/sign-payments.ts'
import type { NextAction, ToSign } from '../../flows/run-view/next-action.ts'
import type { KeptRun } from '../../kept/kept-run.ts'
import { usePurse } from '../../purse/purse-context.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { explainFailure } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'
import type { Wallet } from '../../wallet/wallet.ts'

/** Why nothing more was done. */
export interface Halted {
  readonly sentence: string
  readonly tone: 'warn' | 'refused'
  /** The wallet has too little. */
  readonly isShort?: boolean
}

/** What somebody does with a run, one thing at a time. */
export interface RunActions {
  /** What is being done, in words. */
  readonly busy: string | undefined
  readonly halted: Halted | undefined
  /** What agents have asked for meanwhile, by key. */
  readonly prices: ReadonlyMap<string, string>
  /** Signs what is asked for, and has failed jobs sent again. */
  readonly goOn: (action: NextAction) => void
  readonly answer: (step: string, approved: boolean) => void
  readonly control: (what: 'pause' | 'resume' | 'cancel') => void
}

const NO_PRICES: ReadonlyMap<string, string> = new Map()

/** The ways on of a run that was opened. */
export function useRunActions(opened: OpenedRun | undefined, show: (run: RunAnswer) => void): RunActions {
  const { ask, platform } = useSite()
  const { connect, refresh } = usePurse()
  const [busy, setBusy] = useState<string>()
  const [halted, setHalted] = useState<Halted>()
  const [prices, setPrices] = useState(NO_PRICES)
  const { act: once } = useAction(
    async (signal, words: string, work: (run: RunAnswer, signal: AbortSignal) => Promise<void>) => {
      if (opened?.run === undefined) return
      setBusy(words)
      setHalted(undefined)
      try {
        await work(opened.run, signal)
      } catch (error) {
        if (!signal.aborted) setHalted(explain(error))
      }
      setBusy(undefined)
    },
  )

  const headers: { [name: string]: string } = opened?.token === undefined ? {} : { 'run-token': opened.token }
  const put = async (runId: string, what: string, body: unknown = {}): Promise<void> =>
    show(await ask(`/v1/runs/${runId}/${what}`, answers.run, { method: 'POST', body, headers }))

  /** Signs, writes down and sends payments. False: nothing was sent, and the page says why. */
  const pay = async (run: RunAnswer, jobs: readonly ToSign[], signal: AbortSignal): Promise<boolean> => {
    const wallet = await connect()
    if (wallet === undefined) return false
    if (run.payer !== null && run.payer !== wallet.address) {
      setHalted({
        sentence: `This run is paid for by another wallet. Nothing was sent.`,
        tone: 'warn',
        isShort: true,
      })
      return false
    }
    setBusy('Getting the price')
    const keys = jobs.map(({ key }) => key)
    const body = { flow: run.flow, keys }
    const quoted = await ask('/v1/runs/quote', answers.runQuote, { method: 'POST', body, signal })
    const asked = quoted.jobs.flatMap(({ key, quote }) =>
      quote === null ? [] : [[key, quote.amount] as const],
    )
    const silent = quoted.jobs.find(({ quote }) => quote === null)
    if (silent !== undefined) throw new Error(silent.error ?? 'An agent did not return a price')
    if (jobs.some(({ key, price }) => toAtomic(new Map(asked).get(key) ?? '') !== toAtomic(price))) {
      setPrices(new Map([...prices, ...asked]))
      setHalted({ sentence: 'The price changed after it was shown. Nothing was signed.', tone: 'warn' })
      return false
    }
    const total = asked.reduce((sum, [, amount]) => sum + (toAtomic(amount) ?? 0n), 0n)
    const { readyWallet } = await import('../../orders/ready-wallet.ts')
    const short = await readyWallet({ ask, platform }, wallet, total)
    if (short !== undefined) {
      setHalted({ sentence: short, tone: 'warn', isShort: true })
      return false
    }
    const { signPayments } = await import('../../flows/runs/sign-payments.ts')
    const tell = (number: number): void => setBusy(`Signing ${number} of ${jobs.length}`)
    const payments = await signPayments(wallet, signables(jobs, quoted), tell, signal)
    setBusy('Sending')
    await send(run, wallet, { payments, maxTotal: raiseLimit(run, total) }, signal)
    return true
  }

  /** Kept before they are sent: whatever happens from here on, they are the same payments. */
  const send = async (
    run: RunAnswer,
    wallet: Wallet,
    { payments, maxTotal }: { readonly payments: readonly RunPayment[]; readonly maxTotal: string },
    signal: AbortSignal,
  ): Promise<void> => {
    const [{ keepRun, readRun, updateRun }, { sendKeptRun }] = await Promise.all([
      import('../../kept/run-store.ts'),
      import('../../flows/runs/send-run.ts'),
    ])
    const kept = await readRun(run.run_id)
    if (kept === undefined) await keepRun(keptOf(run, opened?.token, wallet, payments, maxTotal))
    else
      await updateRun(run.run_id, ({ unsent }) => ({ unsent: [...unsent, ...payments], max_total: maxTotal }))
    const { failure } = await sendKeptRun(ask, run.run_id, () => setBusy('No response, sending again'), signal)
    if (failure !== undefined) throw failure
  }

  const goOn = ({ sign, retry }: NextAction): void =>
    once('Opening the wallet', async (run, signal) => {
      if (sign.length > 0 && !(await pay(run, sign, signal))) return
      setBusy('Sending')
      for (const { key } of retry)
        await ask(`/v1/runs/${run.run_id}/retry`, answers.run, {
          method: 'POST',
          body: { key },
          headers,
        }).catch((error: unknown) => {
          throw sign.length > 0 ? new SentBefore(explainFailure(error)) : error
        })
      setPrices(NO_PRICES)
      show(await ask(`/v1/runs/${run.run_id}`, answers.run, { headers }))
      refresh()
    })

  return {
    busy,
    halted,
    prices,
    goOn,
    answer: (step, approved) => once('Sending answer', run => put(run.run_id, 'answer', { step, approved })),
    control: what => once(CONTROLS[what], run => put(run.run_id, what)),
  }
}

const CONTROLS = { pause: 'Pausing', resume: 'Resuming', cancel: 'Canceling' } as const

function signables(jobs: readonly ToSign[], quoted: RunQuote): readonly Signable[] {
  const now = Math.floor(Date.now() / 1_000)
  return jobs.flatMap(({ key, agentId, capability }): Signable[] => {
    const found = quoted.jobs.find(one => one.key === key)
    if (found?.quote === undefined || found.quote === null) return []
    const usableUntil = now + Math.ceil(found.valid_for_seconds)
    return [{ key, agentId, capability, quote: found.quote, usableUntil }]
  })
}

/** Decimal USDC that a run may come to: more than before, where what is signed now needs it. */
function raiseLimit({ paid, exposed, ready, max_total: before }: RunAnswer, more: bigint): string {
  const needed = [paid, exposed, ready].reduce((sum, amount) => sum + (toAtomic(amount) ?? 0n), more)
  return needed > (toAtomic(before) ?? 0n) ? fromAtomic(needed) : before
}

function keptOf(
  run: RunAnswer,
  token: string | undefined,
  wallet: Wallet,
  payments: readonly RunPayment[],
  maxTotal: string,
): KeptRun {
  return {
    run_id: run.run_id,
    ...(token !== undefined && { run_token: token }),
    ...(run.flow_id !== null && { flow_id: run.flow_id }),
    // As the platform took it.
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

/** What came after the payments of a run were sent was not done. */
class SentBefore extends Error {}

function explain(error: unknown): Halted {
  if (error instanceof SentBefore)
    return { sentence: `${error.message} The payments were sent.`, tone: 'warn' }
  if (isUnanswered(error))
    return { sentence: 'The platform did not respond. Check the run before you try again.', tone: 'warn' }
  return explainStop(error)
}
