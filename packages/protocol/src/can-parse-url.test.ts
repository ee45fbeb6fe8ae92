import { expect, test } from 'vitest'
import { canParseUrl } from './can-parse-url.ts'

test('a host name with an umlaut is a URL, however often it is checked', () => {
  const answers = Array.from({ length: 50_000 }, () => canParseUrl('https://bücher.example/'))
  expect(answers.filter(answer => !answer)).toEqual([])
})

test.each([
  ['https://example.com', undefined, true],
  ['/path', 'https://example.com', true],
  ['/path', undefined, false],
  ['http://', undefined, false],
  ['https://a b', undefined, false],
])('%s with the base %s: %s', (text, base, isUrl) => {
  expect(canParseUrl(text, base)).toBe(isUrl)
})
