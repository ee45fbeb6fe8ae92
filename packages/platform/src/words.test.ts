import { expect, test } from 'vitest'
import { askedWords, exactKey, nameKey, wordsOf } from './words.ts'

test('WEB-03 a repeated word is returned once', () => {
  expect(wordsOf('weather weather WEATHER Weather, wéather', 100)).toEqual(['weather'])
})

test('words are compared without case, accents and punctuation', () => {
  expect(wordsOf('Übersetzt, «Crème» brûlée!', 100)).toEqual(['ubersetzt', 'creme', 'brulee'])
})

test('a compound name is indexed whole and by its parts, but searched for as a whole', () => {
  expect(wordsOf('translateText snake_case gpt4', 100)).toEqual(
    'translatetext translate text snake case gpt4 gpt 4'.split(' '),
  )
  expect(askedWords('translateText', 8)).toEqual(['translatetext'])
})

test('WEB-02 invisible characters do not hide a word', () => {
  expect(wordsOf('wea\u200bther \u202ereport', 100)).toEqual(['weather', 'report'])
  expect(nameKey('\ufeffWord\u00ad  Counter')).toBe('word counter')
})

test('text in scripts without spaces is split into pairs of adjacent characters', () => {
  expect(wordsOf('天気予報', 100)).toEqual(['天気', '気予', '予報'])
  expect(askedWords('予報', 8)).toEqual(['予報'])
})

test('the number of words and their length are limited', () => {
  expect(wordsOf('a b c d', 3)).toEqual(['a', 'b', 'c'])
  expect(wordsOf('x'.repeat(500), 3)).toEqual(['x'.repeat(40)])
})

test('words and keys contain no character that PostgreSQL cannot store', () => {
  expect(wordsOf('nul\u0000 half\ud800', 9)).toEqual(['nul', 'half'])
  expect(exactKey('na\u0000me\ud800')).toBe('name')
  expect(exactKey('\u200b')).toBeUndefined()
  expect(exactKey('x'.repeat(200))).toBeUndefined()
})
