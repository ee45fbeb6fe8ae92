import { nowSeconds } from '@farebox/protocol/time/clock'
import { repeat } from '@farebox/protocol/internal/time/repeat'
import { describeError } from '@farebox/server/log'
import type { ReconcilerParts } from './correct-ledger.ts'
import { revisitSettled, type MissingBlocks } from './revisit-settled.ts'
import { revisitUncharged } from './revisit-uncharged.ts'

/** State that is kept from one comparison to the next. */
export interface ReconcilePasses {
  readonly missing: MissingBlocks
  count: number
}

/** Keeps every row of the ledger equal to the chain (I7). */
export interface Reconciler {
  /** Blocks from this number on were replaced: rows settled in them are checked now. */
  revisitReplaced(from: bigint): void
  close(): Promise<void>
}

/**
 * Rows settled less than this ago, by the ledger's time, are checked in every round: a reorganisation may have removed them.
 */
const REVISITED_SECONDS = 300
/** Older rows are checked once in this many rounds, until they are confirmed. */
const ROUNDS_A_LATER_LOOK = 5
const CONFIRMED_AFTER_SECONDS = 1_800
/** Rows of one check. One relayer account settles fewer in that time on every supported chain. */
const ROWS_A_LOOK = 20_000
/** How long rows that were never charged are kept after their last audit, for callers that ask for their outcome. */
const UNUSED_KEPT_SECONDS = 86_400

/** The state for a first comparison, or for a single one. */
export function firstPass(): ReconcilePasses {
  return { missing: new Map(), count: 0 }
}

/**
 * Compares at once and then on a schedule: settled rows must be proven by their receipts, and the authorizations of
 * uncharged rows must be unused on the chain. If the two disagree, the row is corrected from the chain, and the disagreement
 * is counted and logged. Captured and submitted rows are left to the settlement loop.
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
      // The checks run one after another; a failed one is repeated by the next comparison.
      revisiting = revisiting.then(() => revisitSince(parts, from).catch(onFailure))
    },
    async close() {
      closing.abort()
      await Promise.all([running, revisiting])
    },
  }
}

/** Runs one comparison. Rejects when the ledger or the chain gives no answer; corrections made until then are recorded. */
export async function reconcile(parts: ReconcilerParts, passes: ReconcilePasses): Promise<void> {
  const { ledger, reader, network } = parts
  let failure: unknown
  try {
    await expireHolds(parts)
  } catch (error) {
    // A failure here does not stop the comparison: holds that are kept too long cost no money, but the steps below may
    // concern money.
    failure = error
  }
  // In the first comparison the process may still be taking its own leases.
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

/** Reports transactions that no process follows: after a restart with fewer keys, their payments would wait without end. */
async function reportUnattended({ ledger, network, log, metrics }: ReconcilerParts): Promise<void> {
  const found = await ledger.settlements.unattended(network.id)
  metrics.unattended.set(found.reduce((sum, { transactions }) => sum + transactions, 0))
  for (const { relayer, transactions } of found)
    log.warn('no process has the key of an account with open transactions: start one with it', {
      relayer,
      transactions,
    })
}
