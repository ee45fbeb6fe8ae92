import type { KeptRun } from '../../kept/kept-run.ts'
import { isOrderFinal, type SignedOrder } from '../../kept/order.ts'
import type { Ask } from '../../site/ask.ts'
import { onLeft, useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { mergeEntries, type OrderEntry, type Mine } from './order-entries.ts'

/**
 * The jobs and runs of this browser and of the signed-in wallet, the newest first. Undefined until they have been read.
 *
 * @param mine the jobs and runs of the wallet
 */
export function useJobs(mine: Mine): {
  readonly jobs: readonly OrderEntry[] | undefined
  /** The lower-case addresses of the wallets with which this browser ordered. */
  readonly payers: readonly string[]
  readonly failure: unknown
} {
  const { ask } = useSite()
  const { answer, failure } = useRead<Kept>('jobs', async (signal, give) => {
    const [{ listOrders, watchOrders }, { listRuns, watchRuns }] = await Promise.all([
      import('../../kept/order-store.ts'),
      import('../../kept/run-store.ts'),
    ])
    const read = async (): Promise<void> => {
      const [orders, runs] = await Promise.all([listOrders(), listRuns()])
      give({ orders, runs })
    }
    await read()
    onLeft(
      signal,
      watchOrders(() => void read()),
    )
    onLeft(
      signal,
      watchRuns(() => void read()),
    )
    await Promise.all([
      resumeOrders(ask, await listOrders(), signal),
      resumeRuns(ask, await listRuns(), signal),
    ])
    return undefined
  })
  const kept = answer ?? (failure === undefined ? undefined : NOTHING)
  const paidBy = [...(kept?.orders ?? []), ...(kept?.runs ?? [])].map(({ payer }) => payer.toLowerCase())
  return {
    jobs: kept && mergeEntries(kept.orders, kept.runs, mine),
    payers: [...new Set(paidBy)],
    failure,
  }
}

interface Kept {
  readonly orders: readonly SignedOrder[]
  readonly runs: readonly KeptRun[]
}

const NOTHING: Kept = { orders: [], runs: [] }

/** Resumes the orders that were in progress when the page was closed: sends them again, and follows their jobs. */
async function resumeOrders(ask: Ask, orders: readonly SignedOrder[], signal: AbortSignal): Promise<void> {
  const open = orders.filter(order => !isOrderFinal(order, Date.now() / 1_000)).slice(0, MOST_RESUMED)
  if (open.length === 0) return
  const [{ followOrder }, { followJob }, { orderJournal }, { systemClock }] = await Promise.all([
    import('../../orders/follow-order.ts'),
    import('../../orders/follow-job.ts'),
    import('../../kept/order-store.ts'),
    import('@farebox/protocol/time/clock'),
  ])
  const access = { ask, journal: orderJournal, clock: systemClock, followJob }
  // New states of an order are written to the journal, which this page watches.
  const on = { change: () => undefined, unanswered: () => undefined }
  const resume = async (order: SignedOrder): Promise<void> => await followOrder(access, order, on, signal)
  await Promise.allSettled(open.map(resume))
}

/** Resumes runs: sends the ones that were not sent, and follows all until they are over. Their states are stored. */
async function resumeRuns(ask: Ask, runs: readonly KeptRun[], signal: AbortSignal): Promise<void> {
  const open = runs
    .filter(({ refusal, seen }) => refusal === undefined && (seen?.ended_at ?? null) === null)
    .slice(0, MOST_RESUMED)
  if (open.length === 0) return
  const { openRun } = await import('../../flows/runs/open-run.ts')
  await Promise.allSettled(
    open.map(({ run_id: runId }) => openRun(ask, { runId, given: undefined }, () => undefined, signal)),
  )
}

/** The most orders and the most runs that are resumed, because each has an event stream. */
const MOST_RESUMED = 5
