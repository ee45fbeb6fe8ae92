import { expect, test } from 'vitest'
import { compareBuilds } from './compare-builds.ts'

const naming = { what: 'a job', olderName: '0a1b2c3d', format: String }

test('a build that takes half of the time, or does twice as much, is twice as fast', () => {
  const times = compareBuilds({ current: [1, 2], older: [2, 4] }, { ...naming, better: 'less' })
  expect(times).toMatchObject({ ratio: 2, ours: '1.5', peer: { name: '0a1b2c3d', figure: '3' } })
  expect(compareBuilds({ current: [4, 8], older: [2, 4] }, { ...naming, better: 'more' }).ratio).toBe(2)
})

test('rounds are compared one by one: a slowdown that affects both builds does not widen the spread', () => {
  const row = compareBuilds({ current: [1, 10, 100], older: [2, 20, 200] }, { ...naming, better: 'less' })
  expect(row).toMatchObject({ ratio: 2, spread: { low: 2, high: 2 } })
})

test('the spread is the middle half of the rounds', () => {
  const row = compareBuilds(
    { current: [1, 1, 1, 1, 1], older: [0.5, 0.9, 1, 1.1, 9] },
    { ...naming, better: 'less' },
  )
  expect(row).toMatchObject({ ratio: 1, spread: { low: 0.9, high: 1.1 } })
})
