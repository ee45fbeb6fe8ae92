import { expect, test } from 'vitest'
import { PARTS, readWebOptions } from './options.ts'

test('without words everything is measured, five times, over a million agents', () => {
  expect(readWebOptions([])).toMatchObject({ parts: PARTS, rounds: 5, agents: 1_000_000, schema: undefined })
})

test('parts are measured in their own order, however they are named', () => {
  expect(readWebOptions(['--only', 'server,size', '--only', 'first-job']).parts).toEqual([
    'first-job',
    'size',
    'server',
  ])
})

test.each([
  [['--only', 'speed'], '--only speed: there are first-job, size, vitals, canvas, lighthouse, server'],
  [['--rounds', '0'], '--rounds: must be a whole number of at least 1, got "0"'],
  [['--agents', 'many'], '--agents: must be a whole number of at least 1, got "many"'],
  [['--schema', 'public; drop'], '--schema: must be lower-case letters'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused with a sentence', (words, message) => {
  expect(() => readWebOptions(words)).toThrow(message)
})
