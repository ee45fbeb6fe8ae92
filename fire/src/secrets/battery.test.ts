import { expect, test } from 'vitest'
import { secrets } from './battery.ts'

test('OPS-08 none of the secrets planted in a small run is found in any output', async () => {
  const run = {
    size: 'small',
    seed: 1,
    signal: new AbortController().signal,
    progress: () => undefined,
  } as const
  const { scores, findings } = await secrets.run(run)
  expect(findings).toEqual([])
  expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
}, 120_000)
