import type { MessagePort } from 'node:worker_threads'
import type { HistoryCounts } from '../history/count-history.ts'
import type { Violation } from '../invariants/verdict.ts'
import type { Simulator } from '../history/run-history.ts'

/** A share of the work: this many seeds from the first on. */
export interface SeedShare {
  readonly first: number
  readonly count: number
}

/** The result of a share, or of all of them. */
export interface SeedRunResult {
  readonly count: number
  readonly counts: HistoryCounts
  /** By seed, the lowest first. */
  readonly broken: readonly { readonly seed: number; readonly violations: readonly Violation[] }[]
}

/** In a worker: runs the received shares, and answers each. */
export async function serveSeeds(port: MessagePort, create: () => Promise<Simulator>): Promise<void> {
  const simulate = await create()
  const stray: string[] = []
  process.on('unhandledRejection', reason => void stray.push(String(reason)))
  port.on('message', (share: SeedShare) => {
    runShare(simulate, share, stray).then(
      result => port.postMessage(result),
      // An exception in a history is a fault of the simulator: the worker dies and reports it.
      (error: unknown) =>
        setImmediate(() => {
          throw error
        }),
    )
  })
}

async function runShare(
  simulate: Simulator,
  { first, count }: SeedShare,
  stray: string[],
): Promise<SeedRunResult> {
  const counts: { [what: string]: number } = {}
  const broken: SeedRunResult['broken'][number][] = []
  for (let seed = first; seed < first + count; seed += 1) {
    const result = await simulate(seed)
    addCounts(counts, result.counts)
    // An unhandled rejection of ours would end a real process.
    const unheard = stray.splice(0).map(message => ({ invariant: 'UNHEARD', message }))
    const violations = [...result.violations, ...unheard]
    if (violations.length > 0) broken.push({ seed, violations })
  }
  return { count, counts, broken }
}

/** Adds the counts of further histories to the earlier ones. */
export function addCounts(counts: { [what: string]: number }, more: HistoryCounts): void {
  for (const [what, number] of Object.entries(more)) counts[what] = (counts[what] ?? 0) + number
}
