import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import { useEffect, useState } from 'react'
import { isSettled, type Order } from '../../kept/order.ts'
import type { Ask } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'

/** What became of a job: `waiting` is no answer in its time, while the payment could still be used. */
export type Outcome = 'running' | 'settling' | 'paid' | 'free' | 'waiting' | 'undelivered'

/** A job in the list, whichever way it is known. */
export interface ListedJob {
  readonly jobId: string
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  readonly amount: string
  /** Unix seconds. */
  readonly orderedAt: number
  readonly elapsedMs: number | null
  readonly outcome: Outcome
  /** What opens it; undefined: whoever is signed in as its payer. */
  readonly token: string | undefined
}

/**
 * The jobs of this browser, and of the wallet that is signed in; the newest first. Undefined: not read yet.
 *
 * @param mine those of the wallet
 */
export function useJobs(mine: PayerJobs['jobs']): {
  readonly jobs: readonly ListedJob[] | undefined
  readonly failure: unknown
} {
  const { ask } = useSite()
  const [orders, setOrders] = useState<readonly Order[]>()
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    const left = new AbortController()
    let stop = (): void => undefined
    const start = async (): Promise<void> => {
      const { listOrders, watchOrders } = await import('../../kept/order-store.ts')
      const read = async (): Promise<void> => {
        const listed = await listOrders()
        if (!left.signal.aborted) setOrders(listed)
      }
      await read()
      stop = watchOrders(() => void read())
      await resumeOrders(ask, await listOrders(), () => void read(), left.signal)
    }
    start().catch((error: unknown) => {
      if (left.signal.aborted) return
      setOrders(known => known ?? [])
      setFailure(error)
    })
    return () => {
      left.abort(new Error('the page was left'))
      stop()
    }
  }, [ask])
  return { jobs: orders === undefined ? undefined : merge(orders, mine), failure }
}

/** Goes on with what was under way when the page was left: orders are sent again, jobs are looked at again. */
async function resumeOrders(
  ask: Ask,
  orders: readonly Order[],
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  const open = orders.filter(order => !isSettled(order, Date.now() / 1_000)).slice(0, MOST_RESUMED)
  if (open.length === 0) return
  const [{ sendOrder }, { followJob, isOver }, { updateOrder }] = await Promise.all([
    import('../../orders/send-order.ts'),
    import('../../orders/follow-job.ts'),
    import('../../kept/order-store.ts'),
  ])
  const resume = async (order: Order): Promise<void> => {
    const sent = await sendOrder(ask, order, () => undefined, signal)
    changed()
    if (sent.job === undefined || isOver(sent.job)) return
    const see = (job: JobAnswer): void => {
      void updateOrder(order.job_id, { job }).then(changed)
    }
    await followJob(ask, { jobId: order.job_id, token: sent.job_token }, see, signal)
  }
  await Promise.allSettled(open.map(resume))
}

/** Each has a stream of its own. */
const MOST_RESUMED = 5

function merge(orders: readonly Order[], mine: PayerJobs['jobs']): readonly ListedJob[] {
  const kept = new Map<string, ListedJob>(mine.map(job => [job.job_id, listOwn(job)]))
  for (const order of orders) kept.set(order.job_id, listOrder(order))
  return [...kept.values()].toSorted((one, other) => other.orderedAt - one.orderedAt)
}

function listOwn(job: PayerJobs['jobs'][number]): ListedJob {
  return {
    jobId: job.job_id,
    agentId: job.agent_id,
    agentName: job.agent_name,
    capability: job.capability,
    amount: job.amount,
    orderedAt: job.created_at,
    elapsedMs: job.elapsed_ms,
    outcome: outcomeOf(job.status, job.charged, job.payment.status, false),
    token: undefined,
  }
}

function listOrder(order: Order): ListedJob {
  const { job } = order
  return {
    jobId: order.job_id,
    agentId: order.agent_id,
    agentName: order.agent_name,
    capability: order.capability,
    amount: order.amount,
    orderedAt: order.created_at,
    elapsedMs: job?.elapsed_ms ?? null,
    outcome:
      order.refusal !== undefined
        ? 'free'
        : job === undefined
          ? 'running'
          : outcomeOf(job.status, job.charged, job.payment.status, job.charged_without_delivery),
    token: order.job_token,
  }
}

function outcomeOf(
  status: JobAnswer['status'],
  isCharged: boolean,
  payment: JobAnswer['payment']['status'],
  isUndelivered: boolean,
): Outcome {
  if (isUndelivered) return 'undelivered'
  if (isCharged) return 'paid'
  if (status === 'sent') return 'running'
  if (status === 'pending' || status === 'completed') return 'settling'
  return status === 'failed' || payment === 'unpaid' ? 'free' : 'waiting'
}
