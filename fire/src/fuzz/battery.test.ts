import { expect, test } from 'vitest'
import { fuzz } from './battery.ts'

test('the small form of the fuzz reaches its targets and finds nothing', { timeout: 120_000 }, async () => {
  const doing = new Set<string>()
  const { scores, findings } = await fuzz.run({
    size: 'small',
    seed: 20_270_101,
    signal: new AbortController().signal,
    progress: progress => doing.add(progress.doing),
  })
  expect(findings).toEqual([])
  // How long an answer takes is for a machine with nothing else to do.
  expect(scores.filter(({ test: name, isMet }) => !isMet && name !== 'how long they took')).toEqual([])
  expect(scores).toHaveLength(3)
  expect([...doing]).toEqual(['made-up requests', 'broken bytes'])
})
