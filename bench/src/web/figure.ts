import { reaches, type Goal } from '../report/bench.ts'

/** One thing that was measured, and what it should be. */
export interface Figure {
  readonly what: string
  readonly value: number
  readonly unit: Unit
  /** Absent: the figure only informs. */
  readonly goal?: Goal
  /** What else was seen, a line each. */
  readonly notes?: readonly string[]
}

/** KB are 1,000 bytes; points go from 0 to 100; a shift is a share of the window, as Chromium counts it. */
export type Unit = 'KB' | 'ms' | 's' | 'clicks' | 'points' | 'shift'

/** Figures that were measured together. */
export interface Section {
  readonly title: string
  readonly figures: readonly Figure[]
}

const DIGITS: { readonly [unit in Unit]: number } = {
  KB: 1,
  ms: 1,
  s: 1,
  clicks: 0,
  points: 0,
  shift: 3,
}

/** The table: figure, goal and mark, in columns over all sections. */
export function formatSections(sections: readonly Section[]): string {
  const cells = sections.map(({ title, figures }) => ({
    title,
    rows: figures.map(figure => ({
      cells: [figure.what, shownValue(figure), shownGoal(figure), markOf(figure)] as const,
      notes: figure.notes ?? [],
    })),
  }))
  const all = cells.flatMap(({ rows }) => rows.map(row => row.cells))
  const width = (column: 0 | 1 | 2): number => Math.max(0, ...all.map(row => row[column].length))
  const [what, value, goal] = [width(0), width(1), width(2)]
  return cells
    .flatMap(({ title, rows }) => [
      `  ${title}`,
      ...rows.flatMap(({ cells: [name, shown, wanted, mark], notes }) => [
        `    ${name.padEnd(what)}  ${shown.padStart(value)}  ${wanted.padStart(goal)}  ${mark}`.trimEnd(),
        ...notes.map(note => `        ${note}`),
      ]),
      '',
    ])
    .join('\n')
}

/** Whether every goal is reached. */
export function areReached(sections: readonly Section[]): boolean {
  return sections.every(({ figures }) =>
    figures.every(({ value, goal }) => goal === undefined || reaches(value, goal)),
  )
}

function shownValue({ value, unit }: Figure): string {
  return withUnit(value.toFixed(DIGITS[unit]), unit)
}

function shownGoal({ goal, unit }: Figure): string {
  if (goal === undefined) return ''
  return 'atLeast' in goal ? `≥ ${withUnit(goal.atLeast, unit)}` : `≤ ${withUnit(goal.atMost, unit)}`
}

function withUnit(value: string | number, unit: Unit): string {
  return unit === 'points' || unit === 'shift' || unit === 'clicks' ? String(value) : `${value} ${unit}`
}

function markOf({ value, goal }: Figure): string {
  if (goal === undefined) return ''
  return reaches(value, goal) ? '✓' : '✗'
}
