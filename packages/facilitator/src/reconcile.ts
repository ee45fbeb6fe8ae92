import { receiptProvesPayment } from '@farebox/payments/chain-proof'
import { nowSeconds } from '@farebox/server/clock'
import { describeError } from '@farebox/server/log'
import { correctLedger, type ReconcilerParts } from './correct-ledger.ts'
import type { PaymentRecord } from './ledger/payment-record.ts'
import { revisitUncharged } from './revisit-uncharged.ts'

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
  await revisitUncharged(parts, head.seconds)
  await ledger.audit.forgetUnused(network.id, network.finalitySeconds, head.seconds - UNUSED_KEPT_SECONDS)
  if (failure !== undefined) throw failure
}

async function expireHolds({ ledger, network, clock, metrics }: ReconcilerParts): Promise<void> {
  const expired = await ledger.audit.expireHolds(network.id, nowSeconds(clock))
  metrics.payments.inc({ state: 'expired', reason: '' }, expired)
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
    await correctLedger(parts, 'moved', {
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
      await correctLedger(parts, 'moved', {
        key,
        from: 'settled',
        to: 'settled',
        transaction: verdict.transaction,
        blockNumber: verdict.blockNumber,
      })
      return
    case 'unused':
      await correctLedger(parts, 'reorganised', { key, from: 'settled', to: 'captured', observedBlock: 0n })
      return
    case 'spent-otherwise':
      await correctLedger(parts, 'lost', {
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
