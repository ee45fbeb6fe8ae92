import type { Simulator } from '../history/run-history.ts'
import { shrinkHistory } from './shrink-history.ts'

/** How one history is shown. */
export interface ShowOptions {
  readonly without: ReadonlySet<string>
  readonly isTraced: boolean
  readonly shrinks: boolean
}

/** Runs one history and shows it; resolves to the exit code: 1 where it breaks a rule. */
export async function showHistory(simulate: Simulator, seed: number, options: ShowOptions): Promise<number> {
  const { violations, trace } = await simulate(seed, options)
  const [first] = violations
  if (first !== undefined && options.shrinks) {
    const without = await shrinkHistory(simulate, seed, first.invariant)
    const smaller = await simulate(seed, { without, isTraced: options.isTraced })
    write(smaller.trace)
    write(smaller.violations.map(({ invariant, message }) => `✗ ${invariant}  ${message}`))
    write([`replay: --seed ${seed} --trace --without ${[...without].join(',')}`])
    return 1
  }
  write(trace)
  write(violations.map(({ invariant, message }) => `✗ ${invariant}  ${message}`))
  if (first === undefined) write([`seed ${seed} breaks nothing`])
  return first === undefined ? 0 : 1
}

function write(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`)
}
