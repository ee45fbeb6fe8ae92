import { printable } from '../printable.ts'
import type { ReportStyle } from './format-report.ts'

/** Longer ids push their reasons to the right. */
const MOST_ID_COLUMNS = 28

/** The result of a rule: kept, broken, or not checked. */
export type RuleMark = 'kept' | 'broken' | 'skipped'

/** The width of the column of ids, so that reasons are aligned. */
export function idColumnsOf(ids: readonly string[]): number {
  return Math.min(Math.max(...ids.map(({ length }) => length), 0), MOST_ID_COLUMNS)
}

/**
 * One rule as a line: its mark, its id and why.
 *
 * @example //   ✗ health/body      expected status "ok", got "up"
 */
export function ruleLine(
  rule: { readonly mark: RuleMark; readonly id: string; readonly why: string },
  idColumns: number,
  style: ReportStyle,
): string {
  const { mark, id, why } = rule
  const sign = mark === 'kept' ? style.green('✓') : mark === 'broken' ? style.red('✗') : style.dim('–')
  const text = printable(why.replaceAll(/\s+/g, ' '))
  return `  ${sign} ${id.padEnd(idColumns)}  ${mark === 'skipped' ? style.dim(text) : text}\n`
}

/** The checks skipped for one reason, and the way to run them. */
export interface Skipped {
  readonly count: number
  readonly why: string
}

/**
 * The end of a report: the counts, then why rules were skipped.
 *
 * @example
 * //   31 kept, 1 broken, 6 skipped
 * //   6 skipped  they need a payment: …
 */
export function conclusion(
  counts: { readonly kept: number; readonly broken: number },
  skipped: readonly Skipped[],
  style: ReportStyle,
): string {
  const { kept, broken } = counts
  const all = skipped.reduce((sum, { count }) => sum + count, 0)
  const total = [
    style.bold(`${kept} kept`),
    broken > 0 ? style.bold(style.red(`${broken} broken`)) : '0 broken',
    ...(all > 0 ? [`${all} skipped`] : []),
  ].join(', ')
  const columns = String(Math.max(...skipped.map(({ count }) => count), 0)).length
  const lines = skipped.map(
    ({ count, why }) => `  ${style.dim(`${String(count).padStart(columns)} skipped`)}  ${printable(why)}`,
  )
  return `${[`  ${total}`, ...lines].join('\n')}\n`
}

/** Counts equal reasons, in order of appearance. */
export function countReasons(reasons: readonly string[]): readonly Skipped[] {
  const counts = new Map<string, number>()
  for (const why of reasons) counts.set(why, (counts.get(why) ?? 0) + 1)
  return [...counts].map(([why, count]) => ({ why, count }))
}
