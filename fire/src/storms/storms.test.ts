import { expect, test } from 'vitest'
import { storms } from './battery.ts'

test('kill -9, SIGSTOP and SIGTERM break no promise', async ({ skip }) => {
  const { scores, findings, skipped } = await storms.run({
    size: 'small',
    seed: 1,
    // Redis in groups has a stage, and a test, of its own.
    flags: { only: 'kill,freeze,stop' },
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  skip(skipped?.[0] !== undefined, skipped?.[0])
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(scores).toHaveLength(3)
})
