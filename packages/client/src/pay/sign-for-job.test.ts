import { SETTLE_MARGIN_SECONDS } from '@farebox/protocol/limits'
import { expect, test } from 'vitest'
import { deadlineAfterSigning } from './sign-for-job.ts'

const NOW = 1_800_000_000

test('D17 the agent’s time counts from the signature and leaves the time for settling', () => {
  const deadlineFor = (validFor: number): number | undefined =>
    deadlineAfterSigning(NOW, { deadlineSeconds: 60, validBefore: NOW + validFor })
  expect(deadlineFor(600)).toBe(NOW + 60)
  expect(deadlineFor(60)).toBe(NOW + 60 - SETTLE_MARGIN_SECONDS)
  expect(deadlineFor(SETTLE_MARGIN_SECONDS + 1)).toBe(NOW + 1)
  expect(deadlineFor(SETTLE_MARGIN_SECONDS)).toBeUndefined()
})
