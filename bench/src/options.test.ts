import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

const NAMES = { all: ['paid', 'blocks'], compared: ['paid'] }

test('names may come with commas and several times, beside the usual ones too', () => {
  expect(readOptions(['--only', 'paid,blocks'], NAMES).only).toEqual(['paid', 'blocks'])
  expect(readOptions(['--also', 'blocks'], NAMES)).toMatchObject({ only: [], also: ['blocks'] })
})

test('a bench that is none is named with those there are', () => {
  expect(() => readOptions(['--only', 'fast'], NAMES)).toThrow('--only fast: there are paid, blocks')
  expect(() => readOptions(['--also', 'fast'], NAMES)).toThrow('--also fast')
})

test('an older commit is measured only by the benches that can', () => {
  expect(readOptions(['--against', 'HEAD~1', '--only', 'paid'], NAMES)).toMatchObject({ against: 'HEAD~1' })
  expect(() => readOptions(['--against', 'HEAD~1', '--only', 'blocks'], NAMES)).toThrow(
    '--only blocks: with --against there are paid',
  )
})

test('keys and payments are whole numbers within their bounds, and absent unless they are given', () => {
  expect(readOptions([], NAMES)).toMatchObject({ keys: undefined, payments: undefined })
  expect(readOptions(['--keys', '1,4', '--payments', '2000'], NAMES)).toMatchObject({
    keys: [1, 4],
    payments: 2_000,
  })
  for (const wrong of ['0', '1.5', '17', '', 'two'])
    expect(() => readOptions(['--keys', wrong], NAMES)).toThrow('--keys')
  expect(() => readOptions(['--payments', '500001'], NAMES)).toThrow('--payments')
})
