/** What is wrong with a value from outside, and how to fix it. */
export interface Fault {
  /** What is wrong and what would be right: `must be a decimal like "0.01", got "0,01"`. */
  readonly reason: string
  /** What to do about it, as one short command without a full stop: `write "0.01"`. */
  readonly fix: string
  /** Present where the name is at fault, not what stands under it: a key nobody knows, a reserved name. */
  readonly at?: 'key'
}

/** One thing wrong with a value from outside, and where. */
export interface Problem extends Fault {
  /** Path from the root of the checked value: `['capabilities', 'count', 'pricing', 'amount']`. */
  readonly path: readonly (string | number)[]
}

/** The path as people write it: `capabilities.count.items[2].name`. */
export function formatPath(path: Problem['path']): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/**
 * The problem in one line: `capabilities.count.pricing.amount: must be …`; of the whole value the reason alone.
 *
 * @example
 * ```ts
 * import { formatProblem } from '@farebox/protocol/problems/problem'
 *
 * console.log(formatProblem({ path: ['capabilities', 'count', 'pricing', 'amount'], reason: 'is required' }))
 * // capabilities.count.pricing.amount: is required
 * ```
 */
export function formatProblem({ path, reason }: Pick<Problem, 'path' | 'reason'>): string {
  return path.length === 0 ? reason : `${formatPath(path)}: ${reason}`
}
