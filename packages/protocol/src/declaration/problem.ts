/** One thing wrong with a value from outside: where, and what to do about it. */
export interface Problem {
  /** Path from the root of the checked value: `['capabilities', 'count', 'pricing', 'amount']`. */
  readonly path: readonly (string | number)[]
  /** What is wrong and what would be right: `must be a decimal like "0.01", got "0,01"`. */
  readonly reason: string
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
