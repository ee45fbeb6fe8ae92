import { expect, test } from 'vitest'
import { storms } from './battery.ts'

test('kill -9, SIGSTOP and SIGTERM break no promise', async () => {
  const { scores, findings } = await storms.run({
    size: 'small',
    seed: 1,
    // Redis in groups has a stage, and a test, of its own.
    flags: { only: 'kill,freeze,stop' },
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(scores).toHaveLength(3)
})
