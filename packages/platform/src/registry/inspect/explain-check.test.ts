import { registrationCheck } from '@farebox/platform-api/registration/registration-check'
import { expect, test } from 'vitest'
import { failedCheck, passedCheck } from './explain-check.ts'

test('a long error is cut to a thousand characters; each check has the documented form', () => {
  const long = failedCheck('about', { got: 'x'.repeat(9_000), ms: 1 })
  expect([long.detail.length, long.got?.length]).toEqual([1_000, 1_000])
  for (const check of [long, passedCheck('about', 'It is there', 0)])
    expect(registrationCheck.parse(check)).toEqual(check)
})
