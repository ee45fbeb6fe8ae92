import { expect, test } from 'vitest'
import { areReached, formatSections, type Section } from './figure.ts'

const SECTIONS: readonly Section[] = [
  {
    title: 'sizes',
    figures: [
      { what: 'scripts', value: 104.26, unit: 'KB', goal: { atMost: 125 }, notes: ['of 12 files'] },
      { what: 'a figure without a goal', value: 3, unit: 'clicks' },
    ],
  },
  {
    title: 'scores',
    figures: [{ what: 'marketplace', value: 94, unit: 'points', goal: { atLeast: 95 } }],
  },
]

test('figures, goals and marks stand in columns over all sections, notes below their figure', () => {
  expect(formatSections(SECTIONS).split('\n')).toEqual([
    '  sizes',
    '    scripts                  104.3 KB  ≤ 125 KB  ✓',
    '        of 12 files',
    '    a figure without a goal         3',
    '',
    '  scores',
    '    marketplace                    94      ≥ 95  ✗',
    '',
  ])
})

test('one goal that is missed is enough for the whole not to be reached; no goal is none to miss', () => {
  expect(areReached(SECTIONS)).toBe(false)
  expect(areReached(SECTIONS.slice(0, 1))).toBe(true)
})

test('a value is held against its goal as it was measured, not as it is rounded for the table', () => {
  const figures = [{ what: 'lcp', value: 1_200.01, unit: 'ms', goal: { atMost: 1_200 } }] as const
  expect(areReached([{ title: '', figures }])).toBe(false)
})
