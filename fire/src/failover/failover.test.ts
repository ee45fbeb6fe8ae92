import { expect, test } from 'vitest'
import { failover } from './battery.ts'

test('a primary that is killed costs no payment and no job', async ({ skip }) => {
  const { scores, findings, skipped } = await failover.run({
    size: 'small',
    seed: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  skip(skipped?.[0] !== undefined, skipped?.[0])
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(scores).toHaveLength(2)
})
