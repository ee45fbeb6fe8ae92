import { expect, test } from 'vitest'
import { faults } from './battery.ts'

test(
  'the small form of the faults: five of them, none paid twice, none lost',
  { timeout: 60_000 },
  async () => {
    const { scores, findings } = await faults.run({
      size: 'small',
      seed: 1,
      signal: new AbortController().signal,
      progress: () => undefined,
    })
    expect(findings).toEqual([])
    expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
    expect(scores[0]?.test).toBe('5 runs of 5 faults on the way')
  },
)
