import { nowSeconds } from '@farebox/protocol/time/clock'
import { repeat } from '@farebox/protocol/internal/time/repeat'
import { describeError } from '@farebox/server/log'
import type { ReconcilerParts } from './correct-ledger.ts'
import { revisitSettled, type MissingBlocks } from './revisit-settled.ts'
import { revisitUncharged } from './revisit-uncharged.ts'

/** The memory that comparisons have of those before them. */
export interface ReconcilePasses {
  readonly missing: MissingBlocks
  count: number
}

/** The one that keeps the ledger equal to the chain, row by row (I7). */
export interface Reconciler {
  /** Blocks from this number on were replaced: what was settled in them is looked at now. */
  revisitReplaced(from: bigint): void
  close(): Promise<void>
}

/** Settled rows this young, by our own time, are looked at in every round: a reorganisation may have undone them. */
const REVISITED_SECONDS = 300
/** Older ones are looked at in every so many rounds, until they are this old. */
const ROUNDS_A_LATER_LOOK = 5
const CONFIRMED_AFTER_SECONDS = 1_800
/** Rows of a look. More than are settled in that time by one relayer account on any of our chains. */
const ROWS_A_LOOK = 20_000
/** Rows that were never charged are kept for so long after the last audit: for callers that ask for their outcome. */
const UNUSED_KEPT_SECONDS = 86_400

/** For a comparison by itself. */
export function firstPass(): ReconcilePasses {
  return { missing: new Map(), count: 0 }
}

/**
 * Compares at once and then on a schedule: settled rows must be proven by their receipts, rows that were not
 * charged must be unused on the chain. Where the two disagree the chain is right, the row follows it, and the
 * disagreement is counted and logged. What is captured or submitted is the sender's to resume.
 */
export function startReconciler(parts: ReconcilerParts): Reconciler {
  const { clock, log, metrics } = parts
  const closing = new AbortController()
  const passes = firstPass()
  const onFailure = (error: unknown): void => {
    metrics.comparisons.inc({ outcome: 'failed' })
    log.warn('cannot compare the ledger with the chain', { error: describeError(error) })
  }
  const running = repeat(clock, { everyMs: parts.everyMs, signal: closing.signal, onFailure }, async () => {
    await reconcile(parts, passes)
    metrics.comparisons.inc({ outcome: 'done' })
    metrics.comparedAt.set(nowSeconds(clock))
  })
  let revisiting = Promise.resolve()
  return {
    revisitReplaced(from) {
      // One after the other; what fails here is looked at again by the next comparison.
      revisiting = revisiting.then(() => revisitSince(parts, from).catch(onFailure))
    },
    async close() {
      closing.abort()
      await Promise.all([running, revisiting])
    },
  }
}

/** One comparison. Rejects when ledger or chain give no answer; what was found until then is written down. */
export async function reconcile(parts: ReconcilerParts, passes: ReconcilePasses): Promise<void> {
  const { ledger, reader, network } = parts
  let failure: unknown
  try {
    await expireHolds(parts)
  } catch (error) {
    // A hold that is kept too long costs nobody money; the steps below may.
    failure = error
  }
  // At the start the leases of this process itself are just being taken.
  if (passes.count > 0) await reportUnattended(parts)
  await parts.confirmChain()
  const head = await reader.readHead()
  const isLater = passes.count % ROUNDS_A_LATER_LOOK === 0
  passes.count += 1
  const belowSeconds = isLater ? CONFIRMED_AFTER_SECONDS : REVISITED_SECONDS
  await revisitSettled(parts, await ledger.audit.unconfirmed(network.id, { belowSeconds }, ROWS_A_LOOK), {
    headNumber: head.number,
    missing: passes.missing,
  })
  const old = await ledger.audit.unconfirmed(
    network.id,
    { fromSeconds: CONFIRMED_AFTER_SECONDS },
    ROWS_A_LOOK,
  )
  await ledger.audit.confirm(await revisitSettled(parts, old))
  await revisitUncharged(parts, head.seconds)
  await ledger.audit.forgetUnused(network.id, network.finalitySeconds, head.seconds - UNUSED_KEPT_SECONDS)
  if (failure !== undefined) throw failure
}

async function revisitSince(parts: ReconcilerParts, from: bigint): Promise<void> {
  const { ledger, network } = parts
  await parts.confirmChain()
  await revisitSettled(parts, await ledger.audit.settledSince(network.id, from, ROWS_A_LOOK))
}

async function expireHolds({ ledger, network, clock, metrics }: ReconcilerParts): Promise<void> {
  const expired = await ledger.audit.expireHolds(network.id, nowSeconds(clock))
  metrics.payments.inc({ state: 'expired', reason: '' }, expired)
}

/** A process that was started with fewer keys leaves transactions to nobody, and their payments wait without end. */
async function reportUnattended({ ledger, network, log, metrics }: ReconcilerParts): Promise<void> {
  const found = await ledger.settlements.unattended(network.id)
  metrics.unattended.set(found.reduce((sum, { transactions }) => sum + transactions, 0))
  for (const { relayer, transactions } of found)
    log.warn('transactions of an account that no process has the key of: start one with it', {
      relayer,
      transactions,
    })
}
