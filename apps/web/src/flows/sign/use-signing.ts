import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { useState } from 'react'
import { toAtomic } from '../../format/amount.ts'
import { explainStop } from '../../orders/explain-stop.ts'
import { usePurse } from '../../purse/purse-context.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'
import { useNavigation } from '../../site/navigation.ts'
import { useSite } from '../../site/site.ts'
import { isSamePlan, planSigning, type SigningPlan } from './plan-signing.ts'
import type { SignedRun } from './start-signed-run.ts'

/** The progress of a run, from requesting its prices to its start. */
export type Signing =
  | { readonly step: 'idle' }
  | { readonly step: 'quoting' }
  /** The platform did not return the prices. */
  | { readonly step: 'unquoted'; readonly failure: unknown }
  | {
      readonly step: 'ready'
      readonly plan: SigningPlan
      /** Whether the agents' terms differ from those shown just before. */
      readonly isOther: boolean
      readonly stopped?: StoppedSigning
    }
  | { readonly step: 'preparing'; readonly plan: SigningPlan }
  /** The wallet is signing this payment, counted from 1. */
  | { readonly step: 'signing'; readonly plan: SigningPlan; readonly number: number }
  | { readonly step: 'starting'; readonly plan: SigningPlan }

/** Why the run was not started. */
export interface StoppedSigning {
  readonly sentence: string
  readonly tone: 'warn' | 'refused'
  /** Whether the balance of the wallet is too low. */
  readonly isShort?: boolean
}

/** A flow to run, and where it is stored. */
export interface Runnable {
  readonly flow: Flow
  /** The id of the saved flow. */
  readonly flowId?: string
  /** The id of the draft in this browser. */
  readonly draftId?: string
}

/** Quotes, signs and starts a run, one at a time. Nothing is sent before the wallet has signed every payment. */
export function useSigning(runnable: Runnable): {
  readonly signing: Signing
  readonly quote: () => void
  readonly sign: (input: JsonObject) => void
  readonly reset: () => void
} {
  const { flow, flowId } = runnable
  const { ask, platform } = useSite()
  const { connect, refresh } = usePurse()
  const { go } = useNavigation()
  const [signing, say] = useState<Signing>({ step: 'idle' })

  const quote = (): void => {
    say({ step: 'quoting' })
    quotePlan(ask, flow).then(
      plan => say({ step: 'ready', plan, isOther: false }),
      (failure: unknown) => say({ step: 'unquoted', failure }),
    )
  }

  const start = async (shown: SigningPlan, input: JsonObject, signal: AbortSignal): Promise<void> => {
    say({ step: 'preparing', plan: shown })
    const wallet = await connect()
    if (wallet === undefined) return say({ step: 'ready', plan: shown, isOther: false })
    const plan = isOld(shown) ? await quotePlan(ask, flow, signal) : shown
    if (!isSamePlan(plan, shown)) return say({ step: 'ready', plan, isOther: true })
    const { readyWallet, signPayments, startSignedRun } = await loadSigners()
    const short = await readyWallet({ ask, platform }, wallet, toAtomic(plan.atStart) ?? 0n)
    if (short !== undefined) {
      const stopped = { sentence: short, tone: 'warn', isShort: true } as const
      return say({ step: 'ready', plan, isOther: false, stopped })
    }
    const tell = (number: number): void => say({ step: 'signing', plan, number })
    const payments = await signPayments(wallet, plan.now, tell, signal)
    say({ step: 'starting', plan })
    const payer = { payer: wallet.address, wallet: wallet.name }
    const run = { ...toKept(runnable), input, max_total: plan.atMost, ...payer, payments }
    const show = (runId: string): void =>
      go(flowId === undefined ? `/runs/${runId}` : `/flows/${flowId}/runs/${runId}`)
    await showWhenStarted(show, written => startSignedRun(ask, run, written, signal))
    refresh()
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

/** Requests the prices of the agents of a flow. */
async function quotePlan(ask: Ask, flow: Flow, signal?: AbortSignal): Promise<SigningPlan> {
  const quote = await ask('/v1/runs/quote', answers.runQuote, {
    method: 'POST',
    body: { flow },
    ...(signal !== undefined && { signal }),
  })
  return planSigning(buildGraph(flow), quote, Date.now() / 1_000)
}

/** Prices older than this are requested again before anything is signed. */
const MAX_QUOTE_AGE_SECONDS = 60

function isOld({ quotedAt }: SigningPlan): boolean {
  return Date.now() / 1_000 - quotedAt > MAX_QUOTE_AGE_SECONDS
}

/** Loads the code that signs and sends, which is needed only when the reader wants to run the flow. */
async function loadSigners() {
  const [{ readyWallet }, { signPayments }, { startSignedRun }] = await Promise.all([
    import('../../orders/ready-wallet.ts'),
    import('../runs/sign-payments.ts'),
    import('./start-signed-run.ts'),
  ])
  return { readyWallet, signPayments, startSignedRun }
}

/** The flow of a run, with the property names of a kept run. */
function toKept({ flow, flowId, draftId }: Runnable): Pick<SignedRun, 'flow' | 'flow_id' | 'draft_id'> {
  return {
    flow,
    ...(flowId !== undefined && { flow_id: flowId }),
    ...(draftId !== undefined && { draft_id: draftId }),
  }
}

/** After this long without an answer of the platform, the page of the run is shown. */
const ANSWER_TIMEOUT_MS = 3_000

/** Shows a run when it has started, or once it is stored and the platform does not answer in time. */
async function showWhenStarted(
  show: (runId: string) => void,
  start: (written: (runId: string) => void) => Promise<string>,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    show(
      await start(runId => {
        timer = setTimeout(() => show(runId), ANSWER_TIMEOUT_MS)
      }),
    )
  } finally {
    clearTimeout(timer)
  }
}
