import type { Network } from '@farebox/payments/networks'
import { receiptProvesPayment } from '@farebox/payments/chain-proof'
import type { ChainReader } from './chain/chain-reader.ts'
import { nowSeconds, type Clock } from '@farebox/server/clock'
import type { Ledger } from './ledger/ledger.ts'
import type { PaymentRecord } from './ledger/payment-record.ts'
import type { Conclusion } from './ledger/settlement-ledger.ts'
import { describeError, type Log } from '@farebox/server/log'
import type { Metrics } from './metrics.ts'

/** What the reconciler works with. */
export interface ReconcilerParts {
  readonly ledger: Ledger
  readonly reader: ChainReader
  readonly network: Network
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly everyMs: number
  readonly onConcluded: (conclusions: readonly Conclusion[]) => void
}

/** Settled rows whose block the node does not have, by key: in how many rounds in a row. */
export type MissingBlocks = Map<string, number>

/** The one that keeps the ledger equal to the chain, row by row (I7). */
export interface Reconciler {
  close(): Promise<void>
}

/** Settled rows this near to the head are looked at again: a reorganisation may have undone them. */
const REVISITED_BLOCKS = 128n
/** A node that is behind catches up in so many rounds; if it does not, the block is gone. */
const ROUNDS_BEHIND = 3
/** Rows in one look at the chain. */
const ROWS_PER_LOOK = 50
/** Rows that were not charged, read at once. */
const ROWS_PER_PAGE = 500
/** More than strangers can make in the time between two rounds; the node is asked once for fifty rows. */
const PAGES_PER_ROUND = 20
/** What came to nothing is kept for so long after the last look: for whoever asks what became of it. */
const UNUSED_KEPT_SECONDS = 86_400

/**
 * Compares at once and then on a schedule: settled rows must be proven by their receipts, rows that were not
 * charged must be unused on the chain. Where the two disagree the chain is right, the row follows it, and the
 * disagreement is counted and logged. What is captured or submitted is the sender's to resume.
 */
export function startReconciler(parts: ReconcilerParts): Reconciler {
  const { clock, log, metrics } = parts
  const closing = new AbortController()
  const missing: MissingBlocks = new Map()
  const running = (async () => {
    while (!closing.signal.aborted) {
      try {
        await reconcile(parts, missing)
        metrics.comparisons.inc({ outcome: 'done' })
        metrics.comparedAt.set(nowSeconds(clock))
      } catch (error) {
        metrics.comparisons.inc({ outcome: 'failed' })
        log.warn('ledger and chain not compared', { error: describeError(error) })
      }
      await clock.sleep(parts.everyMs, closing.signal)
    }
  })()
  return {
    async close() {
      closing.abort()
      await running
    },
  }
}

/** One comparison. Rejects when ledger or chain give no answer; what was found until then is written down. */
export async function reconcile(parts: ReconcilerParts, missing: MissingBlocks): Promise<void> {
  const { ledger, reader, network } = parts
  let failure: unknown
  try {
    await expireHolds(parts)
  } catch (error) {
    // What is held too long costs nobody money; what comes below may.
    failure = error
  }
  const head = await reader.readHead()
  for (const record of await ledger.audit.settledSince(network.id, head.number - REVISITED_BLOCKS)) {
    if (isBehind(missing, record, head.number)) continue
    await revisitSettled(parts, record)
  }
  for (let page = 0; page < PAGES_PER_ROUND; page += 1) {
    if (!(await revisitPage(parts, head.seconds))) break
  }
  await ledger.audit.forgetUnused(network.id, network.finalitySeconds, head.seconds - UNUSED_KEPT_SECONDS)
  if (failure !== undefined) throw failure
}

async function expireHolds({ ledger, network, clock, metrics }: ReconcilerParts): Promise<void> {
  const expired = await ledger.audit.expireHolds(network.id, nowSeconds(clock))
  metrics.payments.inc({ state: 'expired', reason: '' }, expired)
}

/** False where nothing is left that was not looked at since this head. */
async function revisitPage(parts: ReconcilerParts, headSeconds: number): Promise<boolean> {
  const { ledger, network } = parts
  const rows = await ledger.audit.uncharged(network.id, network.finalitySeconds, ROWS_PER_PAGE)
  const due = rows.filter(({ auditedAt }) => auditedAt < headSeconds)
  for (let start = 0; start < due.length; start += ROWS_PER_LOOK) {
    await revisitUncharged(parts, due.slice(start, start + ROWS_PER_LOOK))
  }
  return due.length === ROWS_PER_PAGE
}

/** Is the node perhaps only behind the one that showed us the block? */
function isBehind(missing: MissingBlocks, { key, blockNumber }: PaymentRecord, headNumber: bigint): boolean {
  const rounds = blockNumber !== undefined && blockNumber > headNumber ? (missing.get(key) ?? 0) + 1 : 0
  if (rounds === 0 || rounds >= ROUNDS_BEHIND) missing.delete(key)
  else missing.set(key, rounds)
  return rounds > 0 && rounds < ROUNDS_BEHIND
}

/**
 * PAY-18: a settled row whose transfer is gone is sent again while it can be; beyond that it is a loss, and
 * said so.
 */
async function revisitSettled(parts: ReconcilerParts, record: PaymentRecord): Promise<void> {
  const { reader, network } = parts
  const { key } = record
  const receipt = await reader.readReceipt(record.transaction)
  if (receipt !== undefined && receiptProvesPayment(network, record.authorization, receipt)) {
    if (receipt.blockNumber === record.blockNumber) return
    await correct(parts, 'moved', {
      key,
      from: 'settled',
      to: 'settled',
      transaction: record.transaction,
      blockNumber: receipt.blockNumber,
    })
    return
  }
  const verdict = await reader.findSettlement(record)
  switch (verdict.kind) {
    case 'settled':
      await correct(parts, 'moved', {
        key,
        from: 'settled',
        to: 'settled',
        transaction: verdict.transaction,
        blockNumber: verdict.blockNumber,
      })
      return
    case 'unused':
      await correct(parts, 'reorganised', { key, from: 'settled', to: 'captured', observedBlock: 0n })
      return
    case 'spent-otherwise':
      await correct(parts, 'lost', {
        key,
        from: 'settled',
        to: 'failed',
        transaction: verdict.transaction,
        blamed: true,
        failure: {
          reason: 'invalid_exact_evm_nonce_already_used',
          message: 'undone by a reorganisation and then spent otherwise',
        },
      })
      return
    case 'unclear':
  }
}

async function revisitUncharged(parts: ReconcilerParts, records: readonly PaymentRecord[]): Promise<void> {
  const { ledger, reader, network } = parts
  const observations = await reader.observe(records)
  const unused: string[] = []
  let headSeconds = 0
  for (const [index, { key, state, authorization }] of records.entries()) {
    const observation = observations[index]
    const record = records[index]
    if (observation === undefined || record === undefined) continue
    headSeconds = observation.blockSeconds
    const verdict = observation.used ? await reader.findSettlement(record) : undefined
    if (verdict?.kind === 'settled') {
      // Somebody else submitted it (PAY-16): the payer has paid, whatever we told the agent.
      parts.log.error('a payment we called uncharged was settled by somebody else', {
        key,
        was: state,
        payer: authorization.from,
      })
      await correct(parts, `settled-though-${state}`, {
        key,
        from: state,
        to: 'settled',
        transaction: verdict.transaction,
        blockNumber: verdict.blockNumber,
      })
    } else if (verdict?.kind !== 'unclear') {
      unused.push(key)
    }
  }
  await ledger.audit.markAudited(unused, headSeconds, network.finalitySeconds)
}

async function correct(parts: ReconcilerParts, kind: string, conclusion: Conclusion): Promise<void> {
  const changed = await parts.ledger.settlements.conclude([conclusion])
  if (changed.length === 0) return
  parts.metrics.ledgerMismatches.inc({ kind })
  parts.log.warn('ledger corrected by the chain', {
    kind,
    key: conclusion.key,
    from: conclusion.from,
    to: conclusion.to,
  })
  parts.onConcluded([conclusion])
}
