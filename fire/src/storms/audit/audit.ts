import type { StormOrder } from '../event-log.ts'
import type { Stage } from '../stage/stage.ts'
import { awaitCalm, type Unsettled } from './await-calm.ts'
import { checkLedger } from './check-ledger.ts'
import { checkMoney, type MoneyVerdict } from './check-money.ts'
import { checkRuns, readRuns, type RunsVerdict } from './check-runs.ts'
import { checkTruth, type TruthVerdict } from './check-truth.ts'
import { groupPayments, readChain, type ChainRecord } from './read-chain.ts'
import { readLedger } from './read-ledger.ts'
import { retrieveCharged, type Retrieval } from './retrieve.ts'

/** What an audit found of the orders it was about, and of the whole ledger. */
export interface Audit {
  readonly unsettled: Unsettled
  readonly money: MoneyVerdict
  /** Charged orders asked for again, all of them answered 200 where there is no finding. */
  readonly retrieved: number
  readonly retrieval: readonly string[]
  readonly truth: TruthVerdict
  readonly runs: RunsVerdict
  /** Rows of the ledger, compared with the chain. */
  readonly rows: number
  readonly ledger: readonly string[]
  /** Money that nobody of ours moved. */
  readonly strange: readonly string[]
}

/** Waits until all is calm, asks again for everything charged, and judges what was said against what is. */
export async function audit(
  stage: Stage,
  orders: readonly StormOrder[],
  options: { readonly seenMs: ReadonlyMap<string, number> } & Retrieval,
): Promise<Audit> {
  const { eventLog } = stage
  const unsettled = await awaitCalm(stage, options.signal)
  const retrieved = await retrieveCharged(stage, orders, await readChain(stage), options)
  const chain = await readChain(stage)
  const rows = await readLedger(stage)
  return {
    unsettled,
    money: checkMoney(eventLog, orders, chain),
    retrieved: retrieved.length,
    retrieval: judgeRetrieval(stage, retrieved, chain),
    truth: checkTruth(eventLog, orders, chain, options.seenMs),
    runs: checkRuns(eventLog, orders, await readRuns(stage.runsFile)),
    rows: rows.length,
    ledger: checkLedger(rows, chain),
    strange: [...chain.oddities, ...findStrangers(stage, chain)],
  }
}

/** What is wrong in it, all in one list. */
export function findingsOf(audit: Audit): readonly string[] {
  const { payments, responses } = audit.unsettled
  return [
    ...(payments + responses > 0
      ? [`still unsettled at the end: ${payments} payments, ${responses} saved responses`]
      : []),
    ...audit.money.findings,
    ...audit.retrieval,
    ...audit.truth.findings,
    ...audit.runs.findings,
    ...audit.ledger,
    ...audit.strange,
  ]
}

/** The last answer to each is the one to the asking again; of rivals only the one that was delivered must be there. */
function judgeRetrieval(
  { eventLog }: Stage,
  orders: readonly StormOrder[],
  chain: ChainRecord,
): readonly string[] {
  const paymentsOf = groupPayments(chain)
  return orders.flatMap(order => {
    const { jobId } = order
    const attempts = eventLog.attemptsOf(jobId)
    const last = attempts.at(-1)?.answer
    const wasDelivered = attempts.some(({ answer }) => answer?.status === 200)
    const isPaid = paymentsOf(order.group).length > 0
    if (last?.status === 200 || (!wasDelivered && isPaid)) return []
    return [
      `${jobId} was delivered and cannot be fetched again: ${last?.status ?? 'no answer'} ${last?.body ?? ''}`,
    ]
  })
}

function findStrangers({ eventLog }: Stage, { payments }: ChainRecord): readonly string[] {
  const known = new Set([...eventLog.orders.values()].map(({ group }) => group))
  return [...payments].flatMap(([key, { payer, transaction }]) =>
    known.has(key) || known.has(payer)
      ? []
      : [`${key} was paid in ${transaction}, and nobody ordered anything for it`],
  )
}
