import type { AgentPage } from '@farebox/platform-api/agent'
import type { JobAnswer, QuoteAnswer } from '@farebox/platform-api/jobs'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useCallback, useEffect, useReducer, useState } from 'react'
import { explainStop } from '../orders/explain-stop.ts'
import type { Order } from '../kept/order.ts'
import { usePurse } from '../purse/purse-context.ts'
import { useAction } from '../site/action.ts'
import { answers } from '../site/answers.ts'
import { useRead } from '../site/question.ts'
import { useSite } from '../site/site.ts'

/** Longer than the platform answers with a balance that it has read. */
const BALANCE_KEPT_MS = 1_500

/** A capability that can be ordered. */
export interface Orderable {
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  /** Decimal USDC, as it is shown. */
  readonly price: string
  readonly fields: FieldMap
}

/** How an order stands, from the press on the button to the outcome. */
export type Execution =
  | { readonly step: 'idle' }
  /** Nothing has been signed. */
  | { readonly step: 'preparing'; readonly words: string }
  /** Nothing was sent; a sentence says why, and the form is as it was. */
  | {
      readonly step: 'stopped'
      readonly sentence: string
      readonly tone: 'warn' | 'refused'
      /** The wallet has too little. */
      readonly isShort?: boolean
    }
  /** The agent asks for another amount than was shown. Nothing has been signed. */
  | { readonly step: 'changed'; readonly quote: QuoteAnswer }
  | {
      readonly step: 'ordered'
      readonly order: Order
      readonly unanswered: number
      readonly isFresh: boolean
    }

/** A refusal of the input, at its field. */
export interface InputRefusal {
  readonly field: string
  readonly reason: string
}

interface State {
  readonly execution: Execution
  readonly refusal: InputRefusal | undefined
}

type Event =
  | { readonly type: 'execution'; readonly execution: Execution }
  | { readonly type: 'refused'; readonly refusal: InputRefusal | undefined }
  | { readonly type: 'order'; readonly order: Order }
  | { readonly type: 'unanswered' }
  /** Another wallet pays. */
  | { readonly type: 'wallet' }

/** What the page does with an order. */
export interface QuickExecute extends State {
  /** Pays and runs. `agreedPrice`: a price that was asked for anew and that the reader has agreed to. */
  readonly pay: (input: JsonObject, agreedPrice?: string) => void
  /** Checks the input, and says at its field what is wrong. */
  readonly check: (input: JsonObject) => void
  readonly reset: () => void
  readonly showOrder: (order: Order) => void
  /** Sends a failed job once more, with the same payment; nothing is signed. */
  readonly retry: (order: Order, input: JsonObject) => void
}

/** Drives one order: check, quote, signature, order, job. At most one is under way. */
export function useQuickExecute(orderable: Orderable): QuickExecute {
  const { ask, platform } = useSite()
  const { wallet, connect, refresh } = usePurse()
  const [state, dispatch] = useReducer(reduce, START)
  // What kept one wallet from paying says nothing of another.
  useEffect(() => dispatch({ type: 'wallet' }), [wallet?.address])
  const say = useCallback((execution: Execution) => dispatch({ type: 'execution', execution }), [])

  /** One job at a time is followed; what was followed before is kept by the browser's store. */
  const [followed, setFollowed] = useState<{ readonly order: Order; readonly times: number }>()
  const follow = useCallback(
    (order: Order): void => setFollowed(before => ({ order, times: (before?.times ?? 0) + 1 })),
    [],
  )
  useRead(followed && `${followed.times} ${followed.order.job_id}`, async signal => {
    if (followed === undefined) return undefined
    const [{ sendOrder }, { followJob, isOver }, { updateOrder }] = await Promise.all([
      import('../orders/send-order.ts'),
      import('../orders/follow-job.ts'),
      import('../kept/order-store.ts'),
    ])
    const sent = await sendOrder(ask, followed.order, () => dispatch({ type: 'unanswered' }), signal)
    dispatch({ type: 'order', order: sent })
    if (sent.job === undefined || isOver(sent.job)) return undefined
    const see = (job: JobAnswer): void => {
      dispatch({ type: 'order', order: { ...sent, job } })
      void updateOrder(sent.job_id, { job })
      if (job.charged !== true) return
      refresh()
      // The balance may be one that was read just before.
      setTimeout(refresh, BALANCE_KEPT_MS)
    }
    await followJob(ask, { jobId: sent.job_id, token: sent.job_token }, see, signal)
    return undefined
  })

  const start = async (
    input: JsonObject,
    agreedPrice: string | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    say({ step: 'preparing', words: 'Checking the input' })
    const { checkInput } = await import('../fields/check-input.ts')
    const checked = checkInput(orderable.fields, input)
    dispatch({ type: 'refused', refusal: checked.ok ? undefined : checked.violation })
    if (!checked.ok) return say({ step: 'idle' })
    say({ step: 'preparing', words: 'Opening the wallet' })
    const wallet = await connect()
    if (wallet === undefined) return say({ step: 'idle' })
    say({ step: 'preparing', words: 'Getting the price' })
    const { agentId, agentName, capability, price } = orderable
    const quote = await ask('/v1/quotes', answers.quote, {
      method: 'POST',
      body: { agent_id: agentId, capability },
      signal,
    })
    if (quote.amount !== (agreedPrice ?? price)) return say({ step: 'changed', quote })
    const { readyWallet } = await import('../orders/ready-wallet.ts')
    const short = await readyWallet({ ask, platform }, wallet, BigInt(quote.amount_atomic))
    if (short !== undefined) return say({ step: 'stopped', sentence: short, tone: 'warn', isShort: true })
    say({ step: 'preparing', words: wallet.kind === 'test' ? 'Signing' : 'Waiting for your signature' })
    const [{ signOrder }, { keepOrder }] = await Promise.all([
      import('../orders/sign-order.ts'),
      import('../kept/order-store.ts'),
    ])
    const order = await signOrder(wallet, { agentId, agentName, capability, input: checked.value }, quote)
    // Kept before it is sent: whatever happens from here on, it is the same job.
    await keepOrder(order)
    say({ step: 'ordered', order, unanswered: 0, isFresh: true })
    follow(order)
  }

  const { act: once } = useAction(async (signal, work: (signal: AbortSignal) => Promise<void>) => {
    try {
      await work(signal)
    } catch (error) {
      if (!signal.aborted) say({ step: 'stopped', ...explainStop(error) })
    }
  })
  const pay = (input: JsonObject, agreedPrice?: string): void =>
    once(signal => start(input, agreedPrice, signal))
  const check = (input: JsonObject): void => {
    import('../fields/check-input.ts').then(
      ({ checkInput }) => {
        const checked = checkInput(orderable.fields, input)
        dispatch({ type: 'refused', refusal: checked.ok ? undefined : checked.violation })
      },
      () => undefined,
    )
  }
  const showOrder = useCallback(
    (order: Order): void => {
      say({ step: 'ordered', order, unanswered: 0, isFresh: false })
      follow(order)
    },
    [follow, say],
  )
  const sendAgain = async (order: Order, input: JsonObject, signal: AbortSignal): Promise<void> => {
    const { checkInput } = await import('../fields/check-input.ts')
    const checked = checkInput(orderable.fields, input)
    dispatch({ type: 'refused', refusal: checked.ok ? undefined : checked.violation })
    if (!checked.ok) return
    const { retryJob } = await import('../orders/retry-job.ts')
    const tell = (): void => dispatch({ type: 'unanswered' })
    const sent = await retryJob(ask, order, checked.value, { tell, signal })
    say({ step: 'ordered', order: sent, unanswered: 0, isFresh: true })
    follow(sent)
  }
  const retry = (order: Order, input: JsonObject): void => {
    once(signal => sendAgain(order, input, signal))
  }
  return { ...state, pay, check, reset: () => say({ step: 'idle' }), showOrder, retry }
}

const START: State = { execution: { step: 'idle' }, refusal: undefined }

function reduce(state: State, event: Event): State {
  switch (event.type) {
    case 'execution':
      return { ...state, execution: event.execution }
    case 'refused':
      return { ...state, refusal: event.refusal }
    case 'wallet':
      return state.execution.step === 'stopped' ? { ...state, execution: { step: 'idle' } } : state
    case 'unanswered':
      return state.execution.step === 'ordered'
        ? { ...state, execution: { ...state.execution, unanswered: state.execution.unanswered + 1 } }
        : state
    case 'order': {
      const { execution } = state
      const isThis = execution.step === 'ordered' && execution.order.job_id === event.order.job_id
      return isThis ? { ...state, execution: { ...execution, order: event.order } } : state
    }
  }
}

/** Why a capability cannot be ordered now. Undefined: it can. */
export function refuseAgent({ payable, health, notices }: AgentPage): string | undefined {
  if (health?.availability === 'offline')
    return `This agent is offline. The last ${health.consecutive_failures} checks failed, and the platform will not send it any jobs until a check passes.`
  if (payable) return undefined
  return (
    notices.find(({ kind }) => kind === 'not-payable')?.text ??
    'The platform is not sending any jobs to this agent right now.'
  )
}

/** Whether an order was signed whose outcome is not known yet. */
export function isUnderWay(execution: Execution): boolean {
  if (execution.step !== 'ordered' || execution.order.refusal !== undefined) return false
  const { job } = execution.order
  return job === undefined || job.status === 'sent' || job.status === 'pending'
}
