import { expect, test } from 'vitest'
import { fuzz } from './battery.ts'

test('the small form of the fuzz reaches its targets and finds nothing', { timeout: 400_000 }, async () => {
  const doing = new Set<string>()
  const { scores, findings } = await fuzz.run({
    size: 'small',
    seed: 20_270_101,
    signal: new AbortController().signal,
    progress: progress => doing.add(progress.doing),
  })
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(scores).toHaveLength(3)
  expect([...doing]).toEqual(['made-up requests', 'broken bytes'])
})
