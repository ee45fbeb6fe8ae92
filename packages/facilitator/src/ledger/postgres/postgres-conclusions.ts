import { nowSeconds, type Clock } from '@farebox/protocol/time/clock'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { PayerFailureLimits } from '../ledger.ts'
import {
  dropsOthers,
  type ClosedTransaction,
  type Conclusion,
  type SettlementLedger,
} from '../settlement-ledger.ts'
import type { TracedPayment } from '../payment-fields.ts'
import { groupRequests } from './group-requests.ts'
import type { PaymentRow } from './payment-rows.ts'
import type { NotifyQuery } from './postgres-signals.ts'
import { concludedSignal } from './signal-payload.ts'

/** The dependencies of writing conclusions. */
export interface ConclusionParts {
  readonly database: Database
  readonly clock: Clock
  readonly failureLimits: PayerFailureLimits
  readonly notify: NotifyQuery
}

/** Conclusions that belong to one transaction, or to none. */
interface Concluding {
  readonly conclusions: readonly Conclusion[]
  readonly closes: ClosedTransaction | undefined
}

/** A row that changed, as the database returns it in JSON. */
type ChangedRow = Pick<PaymentRow, 'key' | 'binding' | 'trace'>

/** Makes `SettlementLedger.conclude`. */
export function createConclude(parts: ConclusionParts): SettlementLedger['conclude'] {
  // Transactions of one block end together, so their conclusions are written in one statement.
  const concludeTogether = groupRequests<Concluding, readonly TracedPayment[]>(parts.clock, requests =>
    writeConclusions(parts, requests),
  )
  const writing = new Map<string, Promise<unknown>>()
  const findWriting = (keys: readonly string[]): Promise<unknown> | undefined =>
    keys.map(key => writing.get(key)).find(one => one !== undefined)
  return async (conclusions, closes) => {
    const keys = conclusions.map(({ key }) => key)
    // Conclusions about the same payment are written one after another: in one group, each request would count as the one
    // that changed it.
    for (let other = findWriting(keys); other !== undefined; other = findWriting(keys))
      await other.catch(() => undefined)
    const written = concludeTogether({ conclusions, closes })
    for (const key of keys) writing.set(key, written)
    try {
      return await written
    } finally {
      for (const key of keys) writing.delete(key)
    }
  }
}

/** Writes the conclusions of several transactions in one statement; resolves to the payments that each request changed. */
async function writeConclusions(
  { database: { schema, query }, clock, failureLimits, notify }: ConclusionParts,
  requests: readonly Concluding[],
): Promise<readonly (readonly TracedPayment[])[]> {
  // As an array the keys are looked up in the index. Of a join the planner expects a thousand rows, and reads the table.
  const text = `select (
      select json_agg(json_build_object('key', key, 'binding', binding, 'trace', trace)) from ${schema}.payments
        where key = any (array(select ${schema}.conclude($1, $2, $3, $4, $5)))) as changed,
    pg_notify($6, $7)`
  const conclusions = requests.flatMap(request => request.conclusions)
  const closed = requests.flatMap(({ closes }) =>
    closes ? [{ id: closes.transactionId, as: closes.as }] : [],
  )
  const [row] = await query<{ changed: readonly ChangedRow[] | null }>('conclude', text, [
    JSON.stringify(conclusions.map(toJson)),
    JSON.stringify(closed),
    nowSeconds(clock),
    failureLimits.failuresAllowed,
    failureLimits.barredSeconds,
    ...notify(concludedSignal(conclusions)),
  ])
  const changed = new Map(
    (row?.changed ?? []).map(({ trace, ...one }) => [one.key, { ...one, trace: trace ?? undefined }]),
  )
  // Keys that failed together with their payer belong to the request with that conclusion.
  const named = new Set(conclusions.map(({ key }) => key))
  const dropped = [...changed.values()].filter(({ key }) => !named.has(key))
  return requests.map(request => [
    ...request.conclusions.flatMap(({ key }) => changed.get(key) ?? []),
    ...(request.conclusions.some(dropsOthers) ? dropped : []),
  ])
}

function toJson(conclusion: Conclusion): object {
  const { key, from, to } = conclusion
  switch (to) {
    case 'settled':
      return {
        key,
        from,
        to,
        transaction: conclusion.transaction,
        block_number: conclusion.blockNumber.toString(),
      }
    case 'failed':
      return {
        key,
        from,
        to,
        transaction: conclusion.transaction,
        blamed: conclusion.blamed,
        drops_payer: conclusion.dropsPayer,
        ...conclusion.failure,
      }
    case 'captured':
      return {
        key,
        from,
        to,
        transaction: '',
        observed_block: conclusion.observedBlock.toString(),
        is_fault: conclusion.isFault,
        has_code: conclusion.hasCode,
        reverted_gas: conclusion.revertedGas?.toString(),
      }
  }
}
