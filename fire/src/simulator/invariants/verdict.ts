import { probeEverything } from '../history/probe-everything.ts'
import type { Parties } from '../history/start-parties.ts'
import { readPaymentsOnChain } from '../records/payments-on-chain.ts'
import type { World } from '../build-world.ts'

/** Something that must never be the case, and was. */
export interface Violation {
  /** I1 to I8 of ARCHITECTURE.md, or one of those beside them. */
  readonly invariant: string
  readonly message: string
}

/** Everything a history is judged by, when nothing can happen in it any more. */
export type Evidence = Awaited<ReturnType<typeof gatherEvidence>>

/** Gathers it, and asks everything once more. */
export async function gatherEvidence(world: World, { agents, ledger, hasLedger, relayers }: Parties) {
  /** Keys of jobs whose settlement nobody has seen through. */
  const unresolved = (await Promise.all(agents.map(({ store }) => store.inner.unresolved()))).flat()
  const probes = await probeEverything(world, agents)
  const sent = world.sends.all().flatMap(({ payment }) => payment ?? [])
  const rows = await ledger.payments.find([...new Set([...world.meddled.keys(), ...sent])])
  return {
    world,
    onChain: readPaymentsOnChain(world.chain, world.network),
    /** By payment key; undefined where the facilitator is not ours, and keeps no ledger. */
    rows: hasLedger ? new Map(rows.map(row => [row.key, row])) : undefined,
    relayers,
    probes,
    unresolved,
  }
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
 * to any other state is no excuse, nor is a charge that the chain shows. A ledger that has lost the refusal itself charges the
 * payment that it has as captured: the same page says so.
 */
export function wasForgotten(
  { world, onChain }: Evidence,
  payment: string,
  refusedMs: number | undefined,
): boolean {
  if (world.failureForgotten.has(payment)) return true
  const forgottenMs = world.forgottenMs.get(payment)
  const moved = onChain.get(payment)
  if (forgottenMs === undefined || moved === undefined || refusedMs === undefined) return false
  return forgottenMs <= refusedMs && refusedMs < moved.minedMs + SEEN_AFTER_MS
}
