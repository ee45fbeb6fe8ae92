import type { PaymentRecord } from '@farebox/facilitator/src/ledger/payment-record'
import type { Probe } from '../history/probe-everything.ts'
import type { PaymentOnChain } from '../records/payments-on-chain.ts'
import type { World } from '../build-world.ts'

/** Something that must never be the case, and was. */
export interface Violation {
  /** I1 to I8 of ARCHITECTURE.md, or one of those beside them. */
  readonly invariant: string
  readonly message: string
}

/** Everything a history is judged by, when nothing can happen in it any more. */
export interface Evidence {
  readonly world: World
  readonly onChain: ReadonlyMap<string, PaymentOnChain>
  /** By payment key; undefined where the facilitator is not ours, and keeps no ledger. */
  readonly rows: ReadonlyMap<string, PaymentRecord> | undefined
  readonly relayers: ReadonlySet<string>
  readonly probes: readonly Probe[]
  /** Keys of jobs whose settlement nobody has seen through. */
  readonly unresolved: readonly string[]
}

/** Was this money moved by one of our own transactions? */
export function isMovedByUs({ onChain, relayers }: Evidence, payment: string): boolean {
  const moved = onChain.get(payment)
  return moved !== undefined && relayers.has(moved.sender)
}

/** A node that is behind shows a charge some blocks late. */
export const SEEN_AFTER_MS = 30_000

/**
 * Was this payment refused while nothing knew that it would be charged? The facilitator's ledger had lost its row, or had it
 * as given back, and its transaction, sent before, was in no block that every node showed: of what is on the chain a charge
 * is found again, of what is on its way it is not (docs/operating-the-facilitator.md, "Backup and restore"). A row set back
 * to any other state is no excuse, nor is a charge that the chain shows.
 */
export function wasForgottenInFlight(
  { world, onChain }: Evidence,
  payment: string,
  refusedMs: number | undefined,
): boolean {
  const forgottenMs = world.forgottenMs.get(payment)
  const moved = onChain.get(payment)
  if (forgottenMs === undefined || moved === undefined || refusedMs === undefined) return false
  return forgottenMs <= refusedMs && refusedMs < moved.minedMs + SEEN_AFTER_MS
}
