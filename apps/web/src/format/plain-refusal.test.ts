import { expect, test } from 'vitest'
import { plainRefusal } from './plain-refusal.ts'

test('numbers of a refusal are grouped, and formats are in words', () => {
  expect(plainRefusal('must be at most 50000 characters, got 60412')).toBe(
    'must be at most 50,000 characters, got 60,412',
  )
  expect(plainRefusal('must be a valid uri, got 3 characters')).toBe(
    'must be a link, such as https://example.com, got 3 characters',
  )
})

test('whatever else it says stays as the agent said it', () => {
  for (const reason of [
    'is required',
    'must be at most 0.5, got 1234.5',
    'must match the pattern ^[0-9]{4}$',
  ])
    expect(plainRefusal(reason)).toBe(reason)
})
