import { expect, test } from 'vitest'
import { ownersText } from './owners-text.ts'

test('WEB-02 characters that are invisible or change the reading direction are removed and reported', () => {
  for (const hidden of [
    '\u202e',
    '\u2066',
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u00ad',
    '\u0007',
    '\u3164',
    '\u{e0041}',
  ])
    expect(ownersText(`pay${hidden}ee`, 64)).toEqual({ text: 'payee', warnings: ['hidden-characters'] })
})

test('WEB-02 an emoji of several parts keeps its joiners', () => {
  expect(ownersText('👩🏽‍🚀 family 👨‍👩‍👧', 64)).toEqual({ text: '👩🏽‍🚀 family 👨‍👩‍👧', warnings: [] })
})

test('WEB-02 a word with letters of several alphabets is reported', () => {
  expect(ownersText('Pаypal agent', 64).warnings).toEqual(['mixed-alphabets'])
  expect(ownersText('Агент weather', 64).warnings).toEqual([])
})

test('WEB-02 ten megabytes are cut at once', () => {
  const { text, warnings } = ownersText('z'.repeat(10_000_000), 64)
  expect([...text]).toHaveLength(64)
  expect(warnings).toEqual(['shortened'])
})

test('HTTP-08 a text made to slow down a pattern does not', () => {
  // A backtracking pattern would take years for these.
  for (const end of ['  ', '\u0001', 'é', '\ufe0f\u200d']) ownersText(`${'a'.repeat(270)}${end}`, 280)
  ownersText('\u200d\ufe0f'.repeat(1_000), 280)
  ownersText('\ufe0f'.repeat(2_000), 280)
})

test('the result is one line, without stacked accents', () => {
  expect(ownersText('  two\n\r\nlines\u2028here ', 64).text).toBe('two lines here')
  expect(ownersText(`e${'\u0323'.repeat(50)}`, 64).text.length).toBeLessThan(8)
})

test('a harmless text is not changed', () => {
  expect(ownersText('Counts the words of a text.', 64)).toEqual({
    text: 'Counts the words of a text.',
    warnings: [],
  })
  expect(ownersText('', 64)).toEqual({ text: '', warnings: [] })
  expect(ownersText('Crème brûlée — 天気予報', 64)).toEqual({ text: 'Crème brûlée — 天気予報', warnings: [] })
})
