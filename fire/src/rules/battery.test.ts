import { expect, test } from 'vitest'
import { rules } from './battery.ts'

test('the small form of the rules: a handful, all kept by our facilitator', { timeout: 60_000 }, async () => {
  const { scores, findings } = await rules.run({
    size: 'small',
    seed: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  expect(findings).toEqual([])
  expect(scores).toEqual([
    {
      test: '7 facilitator rules: farebox',
      reached: '7 kept of 7 that apply',
      target: 'all',
      isMet: true,
    },
  ])
})
