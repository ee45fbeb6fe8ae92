import { expect, test } from 'vitest'
import { askedWords, exactKey, nameKey, wordsOf } from './words.ts'

test('WEB-03 a word that is repeated is one word', () => {
  expect(wordsOf('weather weather WEATHER Weather, wéather', 100)).toEqual(['weather'])
})

test('words have no case, no accents and no punctuation', () => {
  expect(wordsOf('Übersetzt, «Crème» brûlée!', 100)).toEqual(['ubersetzt', 'creme', 'brulee'])
})

test('a name in one piece is found in one piece and by its parts, and asked for in one piece', () => {
  expect(wordsOf('translateText snake_case gpt4', 100)).toEqual(
    'translatetext translate text snake case gpt4 gpt 4'.split(' '),
  )
  expect(askedWords('translateText', 8)).toEqual(['translatetext'])
})

test('WEB-02 characters that are not seen do not hide a word', () => {
  expect(wordsOf('wea\u200bther \u202ereport', 100)).toEqual(['weather', 'report'])
  expect(nameKey('\ufeffWord\u00ad  Counter')).toBe('word counter')
})

test('scripts without gaps are found by two neighbouring characters', () => {
  expect(wordsOf('天気予報', 100)).toEqual(['天気', '気予', '予報'])
  expect(askedWords('予報', 8)).toEqual(['予報'])
})

test('there are no more words than are wanted, nor longer ones', () => {
  expect(wordsOf('a b c d', 3)).toEqual(['a', 'b', 'c'])
  expect(wordsOf('x'.repeat(500), 3)).toEqual(['x'.repeat(40)])
})

test('what PostgreSQL could not keep is in no word and no key', () => {
  expect(wordsOf('nul\u0000 half\ud800', 9)).toEqual(['nul', 'half'])
  expect(exactKey('na\u0000me\ud800')).toBe('name')
  expect(exactKey('\u200b')).toBeUndefined()
  expect(exactKey('x'.repeat(200))).toBeUndefined()
})
