import type { Score } from '../../battery.ts'
import { createRandom } from '../../simulator/seeded-random.ts'
import { until } from '@farebox/protocol/src/test-setup/until'
import { firstSuccess, type StormOrder } from '../event-log.ts'
import { persist } from '../order.ts'
import { HANG_MS } from '../stage/managed-process.ts'
import type { Stage, StageAgent } from '../stage/stage.ts'
import { CHECKS, isFailure } from './checks.ts'
import { gatherEvidence, readLedger, type Evidence } from './evidence.ts'
import { paymentsFor, readChain, type ChainRecord } from './read-chain.ts'

/** The result of an audit. */
export interface Audit {
  readonly chain: ChainRecord
  /** The amount of judged data. */
  readonly counts: ReturnType<typeof count>
  readonly findings: readonly string[]
}

const LOOK_EVERY_MS = 250
const ASKED_AT_ONCE = 16

/**
 * Waits until all work has ended, repeats every charged order, and compares the answers to some orders, and the whole
 * ledger, with the facts.
 *
 * @param kept - the orders whose responses the agents still keep: they keep them for ten minutes
 */
export async function audit(
  stage: Stage,
  orders: readonly StormOrder[],
  kept: readonly StormOrder[] = orders,
): Promise<Audit> {
  const unsettled = await awaitCalm(stage)
  const unfetched = await fetchAgain(stage, kept, await readChain(stage.chain))
  const evidence = await gatherEvidence(stage, orders)
  const findings = [...unsettled, ...unfetched, ...CHECKS.flatMap(check => check(evidence))]
  return { chain: evidence.chain, counts: count(evidence), findings }
}

/** Waits until every outcome is known, for ten minutes at most; resolves to the open ones. */
async function awaitCalm(stage: Stage): Promise<readonly string[]> {
  const stores = new Set(stage.agents.map(({ store }) => store))
  let doubts = ''
  try {
    await until(async () => {
      const ledger = await readLedger(stage)
      const payments = ledger.filter(({ state }) => state === 'captured' || state === 'submitted').length
      const saved = await Promise.all([...stores].map(store => store.countSaved()))
      const responses = saved.reduce((sum, size) => sum + size, 0)
      doubts = `${payments} payments, ${responses} saved responses`
      return stage.signal.aborted || payments + responses === 0
    }, LOOK_EVERY_MS)
    return []
  } catch (error) {
    return [`still unsettled at the end: ${doubts} (${String(error)})`]
  }
}

/**
 * Repeats everything that was charged or delivered, the same bytes under the same header. A delivered job must be
 * answered 200 (I4); a payment without a delivery is found by `checkMoney`.
 */
async function fetchAgain(
  stage: Stage,
  orders: readonly StormOrder[],
  chain: ChainRecord,
): Promise<readonly string[]> {
  const isDelivered = (order: StormOrder): boolean => firstSuccess(order) !== undefined
  const bought = new Set(orders.filter(isDelivered).map(({ group }) => group))
  const charged = orders.filter(
    order => isDelivered(order) || (!bought.has(order.group) && paymentsFor(order, chain).length > 0),
  )
  const findings: string[] = []
  await forEachAtOnce(ASKED_AT_ONCE, charged, async order => {
    // Replicas share their stored responses: any of them can be asked.
    const store = stage.agents.find(({ name }) => name === order.attempts[0]?.agent)?.store
    const agents = stage.agents.filter(agent => agent.store === store)
    const random = createRandom(Number.parseInt(order.jobId.slice(0, 8), 16))
    const nextAgent = (): StageAgent => random.pick(agents)
    const answer = await persist(stage, order, { nextAgent, forMs: HANG_MS })
    if (answer?.status !== 200 && isDelivered(order))
      findings.push(
        `${order.jobId} was delivered and cannot be fetched again: ${answer?.status ?? 'no answer'} ${answer?.body ?? ''}`,
      )
  })
  return findings
}

function count({ orders, chain, runs }: Evidence) {
  const jobs = new Set(orders.map(({ jobId }) => jobId))
  const groups = new Set(orders.map(({ group }) => group))
  const payments = [...groups].flatMap(group => paymentsFor({ group }, chain))
  return {
    orders: orders.length,
    delivered: orders.filter(order => firstSuccess(order) !== undefined).length,
    payments: payments.length,
    failures: orders.flatMap(({ attempts }) => attempts).filter(isFailure).length,
    runs: runs.filter(({ jobId }) => jobs.has(jobId)).length,
  }
}

/** The counts and findings of audits, for the scorecard. */
export function scoreAudits(test: string, audits: readonly Audit[], findings: readonly string[]): Score {
  const sum = (name: keyof Audit['counts']): string =>
    audits.reduce((total, { counts }) => total + counts[name], 0).toLocaleString('en-US')
  return {
    test,
    reached: `${sum('orders')} orders: ${sum('delivered')} jobs delivered, ${sum('payments')} payments moved, ${sum('failures')} failures told, ${sum('runs')} handler runs; ${findings.length} wrong`,
    target:
      '0 wrong: money moved = jobs delivered, each fetched again; ledger = chain; failures are true; no run twice for no reason; no request dropped',
    isMet: findings.length === 0,
  }
}

/** Processes each item, with a limited concurrency. */
export async function forEachAtOnce<T>(
  workers: number,
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<void> {
  // All workers take from one iterator.
  const waiting = items.values()
  const work = async (): Promise<void> => {
    for (const item of waiting) await act(item)
  }
  await Promise.all(Array.from({ length: workers }, work))
}
