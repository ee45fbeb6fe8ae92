import { describe, expect, test } from 'vitest'
import { chooseScale } from './choose-scale.ts'
import { stackEarnings } from './stack-earnings.ts'

const DAY = 86_400

function point(day: number, agentId: number, capability: string, atomic: number, jobs = 1) {
  return { day: day * DAY, agent_id: agentId, capability, earned: '', earned_atomic: String(atomic), jobs }
}

describe('the scale of a plot', () => {
  test('has zero and four steps that reach the highest value', () => {
    expect(chooseScale(3_900_000n).lines.map(({ words }) => words)).toEqual(['0', '1', '2', '3', '4'])
    expect(chooseScale(410_000n).lines.map(({ words }) => words)).toEqual([
      '0',
      '0.15',
      '0.30',
      '0.45',
      '0.60',
    ])
  })

  test.each([1n, 7n, 999n, 2_000n, 123_456_789n, 10n ** 20n])(
    'reaches %s atomic units, but not more than twice that, and at least four steps',
    highest => {
      const { top } = chooseScale(highest)
      expect(top >= highest).toBe(true)
      expect(top <= highest * 2n || top === 4n).toBe(true)
    },
  )
})

describe('earnings by day', () => {
  const range = { from: 10 * DAY, to: 12 * DAY + 500 }

  test('include every day of the range, also days without a job', () => {
    const { days, totals, jobs } = stackEarnings([point(11, 3, 'count', 2_000, 4)], range, new Map())
    expect(days).toEqual([10 * DAY, 11 * DAY, 12 * DAY])
    expect(totals).toEqual([0n, 2_000n, 0n])
    expect(jobs).toEqual([0, 4, 0])
  })

  test('are stacked by total, the highest first, with the agent’s name if two capabilities share a name', () => {
    const series = [point(10, 3, 'count', 1_000), point(10, 4, 'count', 5_000), point(12, 4, 'count', 1_000)]
    const { parts } = stackEarnings(series, range, new Map([[3, 'Text statistics']]))
    expect(parts.map(({ name, agent, total }) => [name, agent, total])).toEqual([
      ['count', 'No. 4', 6_000n],
      ['count', 'Text statistics', 1_000n],
    ])
  })

  test('combine the capabilities from the fourth on if there are more than four, without losing an amount', () => {
    const series = ['a', 'b', 'c', 'd', 'e'].map((name, index) => point(11, 1, name, 1_000 * (index + 1)))
    const { parts, totals } = stackEarnings(series, range, new Map())
    expect(parts.map(({ name, total }) => [name, total])).toEqual([
      ['e', 5_000n],
      ['d', 4_000n],
      ['c', 3_000n],
      ['2 others', 3_000n],
    ])
    expect(totals[1]).toBe(15_000n)
  })

  test('leave out capabilities without earnings, but count their jobs', () => {
    const { parts, jobs } = stackEarnings([point(10, 1, 'free', 0, 7)], range, new Map())
    expect([parts, jobs]).toEqual([[], [7, 0, 0]])
  })
})
