import { expect, test } from 'vitest'
import { attacks, ATTACKS } from './battery.ts'

test.for(ATTACKS)('$id $title: $rule', async ({ id }, { skip }) => {
  const { scores, findings, skipped } = await attacks.run({
    size: 'small',
    seed: 1,
    flags: { only: id },
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  skip(skipped?.[0] !== undefined, skipped?.[0])
  expect(findings).toEqual([])
  expect(scores.length).toBeGreaterThan(0)
})
