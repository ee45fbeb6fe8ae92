import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

const NAMES = { all: ['paid', 'blocks'], compared: ['paid'] }

test('names may come with commas and several times', () => {
  expect(readOptions(['--only', 'paid,blocks'], NAMES).only).toEqual(['paid', 'blocks'])
  expect(readOptions(['--only', 'paid', '--only', 'blocks'], NAMES).only).toEqual(['paid', 'blocks'])
})

test('an unknown bench is refused with the list of bench names', () => {
  expect(() => readOptions(['--only', 'fast'], NAMES)).toThrow('--only fast: there are paid, blocks')
})

test('an older commit is measured only by the benches that support it', () => {
  expect(readOptions(['--against', 'HEAD~1', '--only', 'paid'], NAMES)).toMatchObject({ against: 'HEAD~1' })
  expect(() => readOptions(['--against', 'HEAD~1', '--only', 'blocks'], NAMES)).toThrow(
    '--only blocks: with --against there are paid',
  )
})

test('neither quick figures nor comparisons are recorded', () => {
  expect(() => readOptions(['--write', '--quick'], NAMES)).toThrow('not to be quoted')
  expect(() => readOptions(['--write', '--against', 'HEAD~1'], NAMES)).toThrow('comparison of two builds')
})
