import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { useRef, useState } from 'react'
import { toAtomic } from '../../format/amount.ts'
import { usePurse } from '../../purse/purse-context.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import { useSite } from '../../site/site.ts'
import { explainStop } from '../../orders/explain-stop.ts'
import { isSamePlan, planSigning, type SigningPlan } from './plan-signing.ts'

/** Prices that were asked for longer ago are asked for once more before anything is signed. */
const QUOTE_KEPT_SECONDS = 60
/** A platform that has not answered by then is waited for on the page of the run. */
const PATIENCE_MS = 3_000

/** How far a run is, from its prices to its start. */
export type Signing =
  | { readonly step: 'idle' }
  | { readonly step: 'quoting' }
  /** The platform did not say what there is to sign. */
  | { readonly step: 'unquoted'; readonly failure: unknown }
  | {
      readonly step: 'ready'
      readonly plan: SigningPlan
      /** Something else is asked for than was shown a moment ago. */
      readonly isOther: boolean
      readonly stopped?: Stopped
    }
  | { readonly step: 'preparing'; readonly plan: SigningPlan }
  /** The wallet signs this one, counted from 1. */
  | { readonly step: 'signing'; readonly plan: SigningPlan; readonly number: number }
  | { readonly step: 'starting'; readonly plan: SigningPlan }

/** Why nothing was started. */
export interface Stopped {
  readonly sentence: string
  readonly tone: 'warn' | 'refused'
  /** The wallet has too little. */
  readonly isShort?: boolean
}

/** What is run. */
export interface Runnable {
  readonly flow: Flow
  /** The saved flow that it is. */
  readonly flowId?: string
  /** The draft of this browser that it is. */
  readonly draftId?: string
}

/** Quotes, signs and starts a run: one at a time, and nothing begins before every signature is there. */
export function useSigning({ flow, flowId, draftId }: Runnable): {
  readonly signing: Signing
  readonly quote: () => void
  readonly sign: (input: JsonObject) => void
  readonly reset: () => void
} {
  const { ask, platform } = useSite()
  const { connect, refresh } = usePurse()
  const { go } = useNavigation()
  const [signing, say] = useState<Signing>({ step: 'idle' })
  const quotedAt = useRef(0)

  const readPlan = async (signal?: AbortSignal): Promise<SigningPlan> => {
    const quote = await ask('/v1/runs/quote', answers.runQuote, {
      method: 'POST',
      body: { flow },
      ...(signal !== undefined && { signal }),
    })
    quotedAt.current = Date.now() / 1_000
    return planSigning(buildGraph(flow), quote, quotedAt.current)
  }

  const quote = (): void => {
    say({ step: 'quoting' })
    readPlan().then(
      plan => say({ step: 'ready', plan, isOther: false }),
      (failure: unknown) => say({ step: 'unquoted', failure }),
    )
  }

  const start = async (shown: SigningPlan, input: JsonObject, signal: AbortSignal): Promise<void> => {
    say({ step: 'preparing', plan: shown })
    const wallet = await connect()
    if (wallet === undefined) return say({ step: 'ready', plan: shown, isOther: false })
    const isOld = Date.now() / 1_000 - quotedAt.current > QUOTE_KEPT_SECONDS
    const plan = isOld ? await readPlan(signal) : shown
    if (!isSamePlan(plan, shown)) return say({ step: 'ready', plan, isOther: true })
    const [{ readyWallet }, { signPayments }, { startRun }] = await Promise.all([
      import('../../orders/ready-wallet.ts'),
      import('../runs/sign-payments.ts'),
      import('./start-run.ts'),
    ])
    const short = await readyWallet({ ask, platform }, wallet, toAtomic(plan.atStart) ?? 0n)
    if (short !== undefined) {
      const stopped = { sentence: short, tone: 'warn', isShort: true } as const
      return say({ step: 'ready', plan, isOther: false, stopped })
    }
    const tell = (number: number): void => say({ step: 'signing', plan, number })
    const payments = await signPayments(wallet, plan.now, tell, signal)
    say({ step: 'starting', plan })
    const show = (runId: string): void =>
      go(flowId === undefined ? `/runs/${runId}` : `/flows/${flowId}/runs/${runId}`)
    let timer: ReturnType<typeof setTimeout> | undefined
    const written = (runId: string): void => {
      timer = setTimeout(() => show(runId), PATIENCE_MS)
    }
    const run = {
      flow,
      ...(flowId !== undefined && { flow_id: flowId }),
      ...(draftId !== undefined && { draft_id: draftId }),
      input,
      max_total: plan.atMost,
      payer: wallet.address,
      wallet: wallet.name,
      payments,
    }
    try {
      show(await startRun(ask, run, written, signal))
      refresh()
    } finally {
      clearTimeout(timer)
    }
  }

  const { act: sign } = useAction(async (signal, input: JsonObject) => {
    if (signing.step !== 'ready') return
    const { plan } = signing
    try {
      await start(plan, input, signal)
    } catch (error) {
      if (!signal.aborted) say({ step: 'ready', plan, isOther: false, stopped: explainStop(error) })
    }
  })
  return { signing, quote, sign, reset: () => say({ step: 'idle' }) }
}
