import { reaches, type Goal, type Row } from './bench.ts'

/** The table, one line a row, its notes below it. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(row => [
    row.what,
    row.ours,
    row.peer?.figure ?? '',
    row.peer?.name ?? '',
    describeRatio(row),
    describeGoal(row.goal),
    markOf(row),
  ])
  const table = [['', 'ours', 'peer', '', 'ratio', 'goal', ''], ...cells]
  const widths = table[0]?.map((_, column) => Math.max(...table.map(line => line[column]?.length ?? 0))) ?? []
  const pad = (cell: string, column: number): string =>
    RIGHT.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  const lines = table.map(line => `  ${line.map(pad).join('  ')}`.trimEnd())
  return lines
    .flatMap((line, index) => [line, ...(rows[index - 1]?.notes ?? []).map(note => `      ${note}`)])
    .join('\n')
}

/** Columns of figures. */
const RIGHT = new Set([1, 2, 4, 5])

function describeRatio({ ratio, spread }: Row): string {
  if (ratio === undefined) return ''
  const range = spread === undefined ? '' : ` (${spread.low.toFixed(2)}–${spread.high.toFixed(2)})`
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)}×${range}`
}

/** `≥ 35×`; empty if there is none. */
export function describeGoal(goal: Goal | undefined): string {
  if (goal === undefined) return ''
  return 'atLeast' in goal ? `≥ ${goal.atLeast}×` : `≤ ${goal.atMost}×`
}

function markOf({ ratio, goal }: Row): string {
  if (goal === undefined || ratio === undefined) return ''
  return reaches(ratio, goal) ? '✓' : '✗'
}
