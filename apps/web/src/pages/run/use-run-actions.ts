import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import { useState } from 'react'
import type { NextAction } from '../../flows/run-view/next-action.ts'
import type { OpenedRun } from '../../flows/runs/open-run.ts'
import { explainStop, type StopReason } from '../../orders/explain-stop.ts'
import { isUnanswered } from '../../orders/put-until-answered.ts'
import { usePurse } from '../../purse/purse-context.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { explainFailure } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'
import { payForSteps } from './pay-for-steps.ts'

/** The reader's actions on a run, one at a time. */
export interface RunActions {
  /** A description of the action in progress. */
  readonly busy: string | undefined
  /** Why the previous action stopped. */
  readonly stop: StopReason | undefined
  /** Prices that agents have requested since the run began, by job key. */
  readonly prices: ReadonlyMap<string, string>
  /** Signs for the jobs that need it, and has failed jobs sent again. */
  readonly goOn: (action: NextAction) => void
  readonly answer: (step: string, approved: boolean) => void
  readonly control: (what: 'pause' | 'resume' | 'cancel') => void
}

const NO_PRICES: ReadonlyMap<string, string> = new Map()
const CONTROLS = { pause: 'Pausing', resume: 'Resuming', cancel: 'Canceling' } as const

/** The actions on an opened run. */
export function useRunActions(opened: OpenedRun | undefined, show: (run: RunAnswer) => void): RunActions {
  const { ask, platform } = useSite()
  const { connect, refresh } = usePurse()
  const [busy, setBusy] = useState<string>()
  const [stop, setStop] = useState<StopReason>()
  const [prices, setPrices] = useState(NO_PRICES)
  const { act: once } = useAction(
    async (signal, words: string, work: (run: RunAnswer, signal: AbortSignal) => Promise<void>) => {
      if (opened?.run === undefined) return
      setBusy(words)
      setStop(undefined)
      try {
        await work(opened.run, signal)
      } catch (error) {
        if (!signal.aborted) setStop(explain(error))
      }
      setBusy(undefined)
    },
  )
  const token = opened?.token
  const headers: { [name: string]: string } = token === undefined ? {} : { 'run-token': token }
  const put = async (run: RunAnswer, what: string, body: unknown = {}): Promise<RunAnswer> =>
    await ask(`/v1/runs/${run.run_id}/${what}`, answers.run, { method: 'POST', body, headers })

  /** Resolves to whether the payments were sent; if not, the page says why. */
  const pay = async (run: RunAnswer, jobs: NextAction['sign'], signal: AbortSignal): Promise<boolean> => {
    const paid = await payForSteps({ ask, platform, connect }, { run, token, jobs }, setBusy, signal)
    if (paid.isSent) return true
    if (paid.prices !== undefined) setPrices(new Map([...prices, ...paid.prices]))
    setStop(paid.stop)
    return false
  }
  const goOn = ({ sign, retry }: NextAction): void =>
    once('Opening the wallet', async (run, signal) => {
      if (sign.length > 0 && !(await pay(run, sign, signal))) return
      setBusy('Sending')
      for (const { key } of retry)
        await put(run, 'retry', { key }).catch((error: unknown) => {
          throw sign.length > 0 ? new SentBefore(explainFailure(error)) : error
        })
      setPrices(NO_PRICES)
      show(await ask(`/v1/runs/${run.run_id}`, answers.run, { headers }))
      refresh()
    })
  const control = (words: string, what: string, body?: unknown): void =>
    once(words, async run => show(await put(run, what, body)))

  return {
    busy,
    stop,
    prices,
    goOn,
    answer: (step, approved) => control('Sending answer', 'answer', { step, approved }),
    control: what => control(CONTROLS[what], what),
  }
}

/** Thrown when an action fails after the payments of the run were sent. */
class SentBefore extends Error {}

function explain(error: unknown): StopReason {
  if (error instanceof SentBefore)
    return { sentence: `${error.message} The payments were sent.`, tone: 'warn' }
  if (isUnanswered(error))
    return { sentence: 'The platform did not respond. Check the run before you try again.', tone: 'warn' }
  return explainStop(error)
}
