import type { Simulator } from '../history/run-history.ts'
import { shrinkHistory } from './shrink-history.ts'

/** How one history is shown. */
export interface ShowOptions {
  readonly without: ReadonlySet<string>
  readonly isTraced: boolean
  readonly shrinks: boolean
}

/** Runs one history and prints its trace; resolves to what it breaks, and how that is repeated. */
export async function showHistory(
  simulate: Simulator,
  seed: number,
  { without, isTraced, shrinks }: ShowOptions,
): Promise<readonly string[]> {
  const whole = await simulate(seed, { without, isTraced })
  const [first] = whole.violations
  const left = first !== undefined && shrinks ? await shrinkHistory(simulate, seed, first.invariant) : without
  const { violations, trace } = left === without ? whole : await simulate(seed, { without: left, isTraced })
  process.stdout.write(trace.map(line => `${line}\n`).join(''))
  const replay = `--seed ${seed} --trace${left.size > 0 ? ` --without ${[...left].join(',')}` : ''}`
  return violations.map(({ invariant, message }) => `${invariant}: ${message}; ${replay}`)
}
