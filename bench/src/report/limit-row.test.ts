import { expect, test } from 'vitest'
import { reaches } from './bench.ts'
import { limitRow } from './limit-row.ts'

const format = (value: number): string => `${value.toFixed(0)} ms`

test('a measured figure is compared with its limit before rounding', () => {
  const row = limitRow({ what: 'a page', value: 60.01, limit: { atMost: 60 }, format })
  expect(row).toMatchObject({ ours: '60 ms', peer: { name: 'at most', figure: '60 ms' } })
  expect(row.goal && reaches(row.ratio ?? 0, row.goal)).toBe(false)
})

test('a figure without a limit has no ratio, and no goal to miss', () => {
  const row = limitRow({ what: 'a page', value: 60, format })
  expect(row).toEqual({ what: 'a page', ours: '60 ms', notes: [] })
})
