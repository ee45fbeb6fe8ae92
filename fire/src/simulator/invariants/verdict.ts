import { probeEverything } from '../history/probe-everything.ts'
import type { Parties } from '../history/start-parties.ts'
import { readPaymentsOnChain } from '../records/payments-on-chain.ts'
import type { World } from '../build-world.ts'

/** A violation of a rule. */
export interface Violation {
  /** I1 to I8 of ARCHITECTURE.md, or one of the further rules. */
  readonly invariant: string
  readonly message: string
}

/** The data for judging a completed history. */
export type Evidence = Awaited<ReturnType<typeof gatherEvidence>>

/** Collects it, and repeats every request once more. */
export async function gatherEvidence(world: World, { agents, ledger, hasLedger, relayers }: Parties) {
  /** Keys of jobs whose settlement was not completed. */
  const unresolved = (await Promise.all(agents.map(({ store }) => store.inner.unresolved()))).flat()
  const probes = await probeEverything(world, agents)
  const sent = world.sends.all().flatMap(({ payment }) => payment ?? [])
  const rows = await ledger.payments.find([...new Set([...world.meddled.keys(), ...sent])])
  return {
    world,
    onChain: readPaymentsOnChain(world.chain, world.network),
    /** By payment key; undefined if the facilitator is not ours and has no ledger. */
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
 * Whether this payment was refused while nothing recorded its later charge: the facilitator's ledger had lost its row,
 * or had it as released, and its transaction, sent before, was in no block that every node showed. A charge on the
 * chain is found again, a pending one is not (docs/operating-the-facilitator.md, "Backup and restore"). A row restored
 * to any other state is no excuse, nor is a charge that the chain shows. A ledger that has lost the refusal itself
 * charges the payment that it has as captured, as the same page says.
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
