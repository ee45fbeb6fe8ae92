import { expect, test } from 'vitest'
import { buildGraph } from '../graph/graph.ts'
import { flowOf, SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import { whatFits } from './what-fits.ts'

const graph = buildGraph(SUMMARY_AND_QR)
const text = { type: 'string' } as const

test('inputs that an output can feed are sorted by grade, then by name, then required ones first', () => {
  const fits = whatFits(
    graph,
    { output: { step: 'summary', port: 'words' } },
    {
      note: text,
      short: { ...text, maxLength: 3 },
      needed: { ...text, required: true },
      list: { type: 'array' },
      'word-count': text,
      count: { type: 'number' },
    },
  )
  expect(fits.map(({ name, grade }) => [name, grade])).toEqual([
    ['count', 'same'],
    ['needed', 'safe'],
    ['note', 'safe'],
    ['word-count', 'safe'],
    ['short', 'lossy'],
  ])
  expect(fits.at(-1)?.reason).toBe('can fail at run time: the input accepts a length of at most 3 characters')
})

test('outputs that can feed an input are found too', () => {
  const fits = whatFits(
    graph,
    { input: { step: 'qr', port: 'content' } },
    {
      links: { type: 'array', items: text },
      url: { ...text, maxLength: 300 },
      contents: text,
      text,
    },
  )
  expect(fits.map(({ name, grade }) => [name, grade])).toEqual([
    ['url', 'same'],
    ['contents', 'lossy'],
    ['text', 'lossy'],
  ])
})

test('if the type is only known during the run, everything may fit; a missing port fits nothing', () => {
  const open = buildGraph(flowOf({}, { first: { kind: 'first', count: 2 } }, []))
  expect(whatFits(open, { output: { step: 'first', port: 'value' } }, { text })).toMatchObject([
    { grade: 'lossy' },
  ])
  expect(whatFits(open, { input: { step: 'first', port: '1' } }, { text })).toMatchObject([{ grade: 'same' }])
  expect(whatFits(open, { input: { step: 'gone', port: '1' } }, { text })).toEqual([])
})
