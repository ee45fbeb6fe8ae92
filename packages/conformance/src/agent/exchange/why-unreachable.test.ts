import { expect, test } from 'vitest'
import { whyUnreachable } from './why-unreachable.ts'

test.each([
  ['EHOSTUNREACH', 'there is no route to its host (EHOSTUNREACH)'],
  ['ENETUNREACH', 'there is no route to its network (ENETUNREACH)'],
])('%s is described in words', (code, words) => {
  const cause = Object.assign(new Error('connect'), { code })
  expect(whyUnreachable(new TypeError('fetch failed', { cause }))).toBe(words)
})
