import { createKnownChain } from '../chain/known-chain.ts'
import { announceConclusions } from '../engine/announce-conclusions.ts'
import { createReportedSettlements, type ReportedSettlements } from '../engine/reported-settlements.ts'
import { createSettlementWaiters, type SettlementWaiters } from '../engine/settlement-waiters.ts'
import type { Conclusion } from '../ledger/settlement-ledger.ts'
import { startReconciler, type Reconciler } from '../reconcile/reconcile.ts'
import { createHasBatchSettler } from '../relayer/account/has-batch-settler.ts'
import { startSettlementLoop, type SettlementLoop } from '../relayer/settlement-loop.ts'
import { watchChain, type ChainWatch } from '../relayer/watch-chain.ts'
import type { Parts } from './read-parts.ts'

/** The background work of an open facilitator. */
export interface Settling {
  readonly watch: ChainWatch
  readonly settlementLoop: SettlementLoop
  /** Requests that wait for the end of a settlement. */
  readonly waiters: SettlementWaiters
  /** Settlements that were reported to callers and are not yet in the ledger. */
  readonly reported: ReportedSettlements
  /** Stops the work; everything in flight is saved, and the leases are released. */
  close(): Promise<void>
}

/**
 * Resumes the work of an earlier process, then watches the chain, sends transactions and compares the ledger with the chain.
 */
export async function startSettling(parts: Parts): Promise<Settling> {
  const { ledger, network, clock, log, metrics, reader, limits } = parts
  const waiters = createSettlementWaiters(ledger.payments, clock, network)
  const reported = createReportedSettlements(clock)
  const onConcluded = (conclusions: readonly Conclusion[]): void => {
    for (const { key } of conclusions) reported.recorded(key)
    announceConclusions(waiters, conclusions)
  }
  // A reorganisation before the reconciler exists is found by its first comparison.
  let reconciler: Reconciler | undefined
  const watch = await startWatch(parts, from => reconciler?.revisitReplaced(from))
  const settlementLoop = startLoop(parts, { watch, waiters, reported, onConcluded })
  const unsubscribe = ledger.signals.subscribe(signal => {
    if (signal.kind === 'captured') settlementLoop.wake()
    else waiters.lookAgain(signal.payments)
  })
  const comparing = startReconciler({
    ledger,
    reader,
    network,
    clock,
    log,
    metrics,
    onConcluded,
    confirmChain: () => watch.confirmChain(),
    everyMs: limits.reconcileMs,
  })
  reconciler = comparing
  return {
    watch,
    settlementLoop,
    waiters,
    reported,
    async close() {
      unsubscribe()
      await Promise.all([settlementLoop.close(), watch.close()])
      await comparing.close()
    },
  }
}

function startWatch(
  { rpc, network, clock, log, metrics, node, relayers, aheadOfNodeSeconds, limits }: Parts,
  onReorganised: (from: bigint) => void,
): Promise<ChainWatch> {
  const chain = createKnownChain(rpc, network, clock)
  const watched = { chain, node, relayers, clock, log, metrics, aheadOfNodeSeconds, onReorganised }
  return watchChain({ ...watched, ...limits })
}

function startLoop(
  parts: Parts,
  to: Pick<Settling, 'watch' | 'waiters' | 'reported'> & {
    readonly onConcluded: (conclusions: readonly Conclusion[]) => void
  },
): SettlementLoop {
  const { ledger, rpc, network, clock, log, metrics, relayers, node, reader, observe, readCodes } = parts
  const { watch, waiters, reported, onConcluded } = to
  return startSettlementLoop({
    network,
    relayers,
    node,
    reader,
    observe,
    readCodes,
    hasSettler: createHasBatchSettler(rpc, clock),
    settlements: ledger.settlements,
    leases: ledger.leases,
    clock,
    log,
    metrics,
    onConcluded,
    onProven: paid => {
      for (const { key, transaction } of paid) {
        reported.reported(key)
        waiters.announce(key, { kind: 'settled', transaction })
      }
    },
    confirmChain: () => watch.confirmChain(),
    reorganisations: () => watch.reorganisations(),
    noteBlock: block => watch.noteBlock(block),
    blockMs: () => watch.blockMs(),
    canPay: (relayer, payments) => watch.canPay(relayer, payments),
    second: parts.second,
    ...parts.limits,
  })
}
