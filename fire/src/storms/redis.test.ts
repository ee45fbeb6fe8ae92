import { expect, test } from 'vitest'
import { storms } from './battery.ts'

test('primaries of Redis that are killed and slots that are moved break no promise', async ({ skip }) => {
  const { scores, findings, skipped } = await storms.run({
    size: 'small',
    seed: 1,
    flags: { only: 'redis' },
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  skip(skipped?.[0] !== undefined, skipped?.[0])
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(scores[0]?.test).toContain('Redis cluster: 1 primaries killed, 1 slots moved')
})
