import { FAULT_KINDS } from '../faults/fault-plan.ts'
import { MISCHIEF_KINDS } from '../workload/mischief.ts'
import { ERRAND_KINDS } from '../workload/plan-workload.ts'
import type { Simulator } from '../history/run-history.ts'

/**
 * Leaves out of a history whatever it can do without and still break the same rule: one kind of fault, errand or
 * mischief after the other. Resolves to what was left out.
 */
export async function shrinkHistory(
  simulate: Simulator,
  seed: number,
  invariant: string,
): Promise<ReadonlySet<string>> {
  const without = new Set<string>()
  for (const kind of [...FAULT_KINDS, ...MISCHIEF_KINDS, ...ERRAND_KINDS]) {
    without.add(kind)
    const { violations } = await simulate(seed, { without })
    if (!violations.some(violation => violation.invariant === invariant)) without.delete(kind)
  }
  return without
}
