import { expect, test } from 'vitest'
import { ruleCases } from './rule-cases.ts'

test('each case of the facilitator rules has a unique id and sends a different request', () => {
  expect(new Set(ruleCases.map(({ id }) => id)).size).toBe(ruleCases.length)
  expect(new Set(ruleCases.map(({ sent, rule }) => `${rule} ${sent}`)).size).toBe(ruleCases.length)
  expect(ruleCases.length).toBeGreaterThanOrEqual(236)
})
