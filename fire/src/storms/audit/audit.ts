import type { StormOrder } from '../event-log.ts'
import type { Stage } from '../stage/stage.ts'
import { awaitCalm, type Unsettled } from './await-calm.ts'
import { checkLedger, readLedger } from './check-ledger.ts'
import { checkMoney, type MoneyVerdict } from './check-money.ts'
import { checkRuns, readRuns, type RunsVerdict } from './check-runs.ts'
import { checkTruth, type TruthVerdict } from './check-truth.ts'
import { readChain, type ChainRecord } from './read-chain.ts'
import { retrieveCharged, type Retrieval, type RetrievalVerdict } from './retrieve.ts'

/** What an audit found of the orders it was about, and of the whole ledger. */
export interface Audit {
  readonly unsettled: Unsettled
  readonly money: MoneyVerdict
  readonly retrieval: RetrievalVerdict
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
  const retrieval = await retrieveCharged(stage, orders, await readChain(stage), options)
  const chain = await readChain(stage)
  const rows = await readLedger(stage)
  return {
    unsettled,
    money: checkMoney(eventLog, orders, chain),
    retrieval,
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
    ...audit.retrieval.findings,
    ...audit.truth.findings,
    ...audit.runs.findings,
    ...audit.ledger,
    ...audit.strange,
  ]
}

function findStrangers({ eventLog }: Stage, { payments }: ChainRecord): readonly string[] {
  const known = new Set([...eventLog.orders.values()].map(({ group }) => group))
  return [...payments].flatMap(([key, { payer, transaction }]) =>
    known.has(key) || known.has(payer)
      ? []
      : [`${key} was paid in ${transaction}, and nobody ordered anything for it`],
  )
}
