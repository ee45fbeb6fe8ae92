import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { firstSuccess, type Answer, type StormOrder } from '../event-log.ts'
import { forEachAtOnce } from '../for-each-at-once.ts'
import { sendOrder } from '../order.ts'
import { HANG_MS } from '../stage/managed-process.ts'
import { agentAt, type Stage } from '../stage/stage.ts'
import { checkChain, checkLedger } from './check-chain.ts'
import { checkDropped } from './check-dropped.ts'
import { checkMoney } from './check-money.ts'
import { checkRuns } from './check-runs.ts'
import { checkTruth, isFailure } from './check-truth.ts'
import { gatherEvidence, readLedger, type Evidence } from './evidence.ts'
import { paymentsFor, readChain, type ChainRecord } from './read-chain.ts'

/** What an audit came to. */
export interface Audit {
  readonly chain: ChainRecord
  /** How much there was to judge. */
  readonly counts: Counts
  readonly findings: readonly string[]
}

/** Of the orders that were judged. */
export interface Counts {
  readonly orders: number
  readonly delivered: number
  readonly payments: number
  readonly failures: number
  readonly runs: number
}

const CHECKS: readonly ((evidence: Evidence) => readonly string[])[] = [
  checkMoney,
  checkTruth,
  checkRuns,
  checkDropped,
  checkLedger,
  checkChain,
]
const LOOK_EVERY_MS = 250
const ASKED_AT_ONCE = 16
const TRY_AGAIN_MS = 500

/**
 * Waits until all is calm, asks again for everything charged, and judges what was said about some orders, and the whole
 * ledger, against what is.
 */
export async function audit(stage: Stage, orders: readonly StormOrder[]): Promise<Audit> {
  const unsettled = await awaitCalm(stage)
  const unfetched = await fetchAgain(stage, orders, await readChain(stage.chain))
  const evidence = await gatherEvidence(stage, orders)
  const findings = [...unsettled, ...unfetched, ...CHECKS.flatMap(check => check(evidence))]
  return { chain: evidence.chain, counts: count(evidence), findings }
}

/** Waits until nothing is in doubt any more, for ten minutes at most; resolves to what still is. */
async function awaitCalm(stage: Stage): Promise<readonly string[]> {
  const redis = new Redis(stage.redisUrl)
  const stores = new Set(stage.agents.map(({ store }) => store))
  try {
    for (const giveUpMs = performance.now() + HANG_MS; ; await delay(LOOK_EVERY_MS)) {
      const ledger = await readLedger(stage)
      const payments = ledger.filter(({ state }) => state === 'captured' || state === 'submitted').length
      // The sets in which agents find what a dead process left.
      const saved = await Promise.all([...stores].map(store => redis.zcard(`${store}:saved`)))
      const responses = saved.reduce((sum, size) => sum + size, 0)
      if (payments + responses === 0) return []
      if (stage.signal.aborted || performance.now() > giveUpMs)
        return [`still unsettled at the end: ${payments} payments, ${responses} saved responses`]
    }
  } finally {
    redis.disconnect()
  }
}

/**
 * Asks again for everything that was charged or delivered, the same bytes under the same header. What was delivered must
 * be answered 200 (I4); that nothing was delivered for a payment is seen by {@link checkMoney}.
 */
async function fetchAgain(
  stage: Stage,
  orders: readonly StormOrder[],
  chain: ChainRecord,
): Promise<readonly string[]> {
  const isDelivered = (order: StormOrder): boolean =>
    firstSuccess(stage.eventLog.attemptsOf(order)) !== undefined
  const bought = new Set(orders.filter(isDelivered).map(({ group }) => group))
  const charged = orders.filter(
    order => isDelivered(order) || (!bought.has(order.group) && paymentsFor(order, chain).length > 0),
  )
  const findings: string[] = []
  await forEachAtOnce(ASKED_AT_ONCE, charged, async order => {
    const answer = stage.signal.aborted ? undefined : await askAgain(stage, order)
    if (answer?.status !== 200 && isDelivered(order))
      findings.push(
        `${order.jobId} was delivered and cannot be fetched again: ${answer?.status ?? 'no answer'} ${answer?.body ?? ''}`,
      )
  })
  return findings
}

/** Replicas share what they remember: any of them will do. */
async function askAgain(stage: Stage, order: StormOrder): Promise<Answer | undefined> {
  const [first] = stage.eventLog.attemptsOf(order)
  const store = stage.agents.find(({ name }) => name === first?.agent)?.store
  const agents = stage.agents.filter(agent => agent.store === store)
  const giveUpMs = performance.now() + HANG_MS
  for (let turn = Number.parseInt(order.jobId.slice(0, 8), 16); ; turn += 1) {
    const answer = await sendOrder(stage, agentAt(agents, turn), order)
    if ((answer !== undefined && answer.status !== 503) || performance.now() > giveUpMs) return answer
    await delay(TRY_AGAIN_MS)
  }
}

function count({ eventLog, orders, chain, runs }: Evidence): Counts {
  const attempts = orders.map(order => eventLog.attemptsOf(order))
  const groups = new Set(orders.map(({ group }) => group))
  const jobs = new Set(orders.map(({ jobId }) => jobId))
  return {
    orders: orders.length,
    delivered: attempts.filter(sent => firstSuccess(sent) !== undefined).length,
    payments: chain.payments.filter(({ key, payer }) => groups.has(key) || groups.has(payer)).length,
    failures: attempts.flat().filter(isFailure).length,
    runs: runs.filter(({ jobId }) => jobs.has(jobId)).length,
  }
}
