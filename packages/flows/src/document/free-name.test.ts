import { expect, test } from 'vitest'
import type { Flow } from './flow.ts'
import { freeName, freeOutput } from './free-name.ts'

const flowWith = (...outputs: string[]): Flow => ({ outputs }) as unknown as Flow

test('a used name gets the next free number', () => {
  expect(freeName([], 'text')).toBe('text')
  expect(freeName(['text', 'text_2'], 'text')).toBe('text_3')
})

test('a second output of the same name includes its step', () => {
  const from = { step: 'count', port: 'words' }
  expect(freeOutput(flowWith(), from)).toBe('words')
  expect(freeOutput(flowWith('words'), from)).toBe('count_words')
  expect(freeOutput(flowWith('words', 'count_words'), from)).toBe('count_words_2')
})
