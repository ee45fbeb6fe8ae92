import { expect, test } from 'vitest'
import { isolation } from './battery.ts'

test(
  'S10 each of a hundred jobs with misbehaving handlers harms only itself',
  { timeout: 180_000 },
  async () => {
    const { scores, findings } = await isolation.run({
      size: 'small',
      seed: 1,
      signal: new AbortController().signal,
      progress: () => undefined,
    })
    expect(findings).toEqual([])
    expect(scores.filter(({ isMet }) => !isMet)).toEqual([])
    expect(scores).toHaveLength(5)
  },
)
