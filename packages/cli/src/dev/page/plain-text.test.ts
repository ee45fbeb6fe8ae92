import { expect, test } from 'vitest'
import { pageLine, plainText } from './plain-text.ts'

test('colours and titles are removed completely, and other control characters become a dot', () => {
  expect(pageLine('\u001b[31mred\u001b[0m \u001b]0;title\u0007and \u001b[2J\u001b[1;1Hgone')).toBe(
    'red and gone',
  )
  expect(pageLine('\u001bchalf\rback\u0007\u202eturned')).toBe('half·back··turned')
  expect(pageLine('a\tb')).toBe('a  b')
})

test('a text keeps its lines', () => {
  expect(plainText('agent.json:1:2\u001b[31m wrong\n  fix it')).toBe('agent.json:1:2 wrong\n  fix it')
})

test('a line without an end is cut', () => {
  expect(pageLine('x'.repeat(100_000))).toHaveLength(4_001)
})
