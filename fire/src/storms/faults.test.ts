import { expect, test } from 'vitest'
import { faults } from './faults.ts'

test('a job is paid for once and delivered, whatever fails during it', async () => {
  const { scores, findings } = await faults.run({
    size: 'small',
    seed: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
  expect(scores[0]?.test).toBe('93 runs of 93 faults on the way')
})
