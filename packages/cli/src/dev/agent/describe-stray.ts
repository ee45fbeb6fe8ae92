import { printable } from '../../terminal/printable.ts'

/**
 * An error that was thrown outside every job, with the lines of its stack that its author can do something about.
 * What it says may quote what a stranger sent.
 */
export function describeStray(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = text.split('\n').filter(line => !/^\s+at .*\(?node:/.test(line))
  return ['an uncaught error', ...lines.map(line => `  ${printable(line)}`)].join('\n')
}
