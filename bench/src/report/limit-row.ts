import type { Goal, Row } from './bench.ts'

/** The line of a figure that has no peer: it is compared with our own limit, if there is one. */
export function limitRow(figure: {
  readonly what: string
  readonly value: number
  readonly limit?: Goal | undefined
  readonly format: (value: number) => string
  readonly notes?: readonly string[]
}): Row {
  const { what, value, limit, format, notes = [] } = figure
  const row = { what, ours: format(value), notes }
  if (limit === undefined) return row
  const [name, bound, goal] =
    'atLeast' in limit
      ? (['at least', limit.atLeast, { atLeast: 1 }] as const)
      : (['at most', limit.atMost, { atMost: 1 }] as const)
  return { ...row, peer: { name, figure: format(bound) }, ratio: value / bound, goal }
}
