/** What is wrong with an external value, and how to fix it. */
export interface Fault {
  /** The error and the valid form: `must be a decimal like "0.01", got "0,01"`. */
  readonly reason: string
  /** The fix, as one short command without a full stop: `write "0.01"`. */
  readonly fix: string
  /** Present when the key is wrong, not its value: an unknown key, a reserved name. */
  readonly at?: 'key'
}

/** A problem of an external value, with its path. */
export interface Problem extends Fault {
  /** Path from the root of the checked value: `['capabilities', 'count', 'pricing', 'amount']`. */
  readonly path: readonly (string | number)[]
}

/** The path in the usual notation: `capabilities.count.items[2].name`. */
export function formatPath(path: Problem['path']): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/**
 * The problem in one line: `capabilities.count.pricing.amount: must be …`; for the whole value only the reason.
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
