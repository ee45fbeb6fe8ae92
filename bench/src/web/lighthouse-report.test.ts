import { expect, test } from 'vitest'
import { findWanting, medianScore, type LighthouseReport } from './lighthouse-report.ts'

function report(score: number | null): LighthouseReport {
  return {
    categories: {
      performance: {
        score,
        auditRefs: [
          { id: 'paint', weight: 10 },
          { id: 'blocking', weight: 30 },
          { id: 'hint', weight: 0 },
          { id: 'unknown', weight: 5 },
        ],
      },
    },
    audits: {
      paint: { title: 'Paints late', score: 0.5, displayValue: '4 s' },
      blocking: { title: 'Blocks', score: 0.2 },
      hint: { title: 'Only a hint', score: 0 },
      unknown: { title: 'Not known', score: null },
    },
    ...(score === null && { runtimeError: { message: 'no page' } }),
  }
}

test('the median of several runs counts, in whole points', () => {
  expect(medianScore([0.949, 0.97, 0.2, 0.96, 0.99].map(report), 'performance')).toBe(96)
})

test('a run without a score is not counted, and its reason is reported', () => {
  expect(() => medianScore([report(0.9), report(null)], 'performance')).toThrow(
    'no score for performance: no page',
  )
})

test('audits that cost points are listed, the heaviest first; audits without a weight are not', () => {
  expect(findWanting(report(0.4), 'performance')).toEqual(['blocking: Blocks', 'paint: Paints late (4 s)'])
})
