import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { parseTraceparent, readTraceparent, writeTraceparent } from './traceparent.ts'

const ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const VALID = `00-${ID}-${SPAN}-01`

const ZEROS_ALLOWED = /^[0-9a-f]{32}$/

test('a traceparent of version 00 is accepted, with its parent and its sampled flag', () => {
  expect(readTraceparent(VALID)).toEqual({ id: ID, parentId: SPAN, isSampled: true })
  expect(readTraceparent(`00-${ID}-${SPAN}-00`)).toEqual({ id: ID, parentId: SPAN, isSampled: false })
})

test('without a traceparent each trace has an id of its own, and no parent', () => {
  const traces = Array.from({ length: 100 }, () => readTraceparent(undefined))
  expect(new Set(traces.map(({ id }) => id)).size).toBe(100)
  for (const trace of traces) {
    expect(trace).toEqual({ id: expect.stringMatching(ZEROS_ALLOWED), parentId: undefined, isSampled: false })
  }
})

describe('a traceparent of another form is ignored, and a new trace begins', () => {
  test.each([
    ['empty', ''],
    ['upper case', VALID.toUpperCase()],
    ['one upper-case digit', VALID.replace('b', 'B')],
    ['a later version', VALID.replace(/^00/, '01')],
    ['version ff', VALID.replace(/^00/, 'ff')],
    ['a later version with more behind it', `01-${ID}-${SPAN}-01-what-comes`],
    ['version 00 with more behind it', `${VALID}-00`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${ID}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${ID.slice(1)}-${SPAN}-01`],
    ['a long span id', `00-${ID}-${SPAN}0-01`],
    ['digits moved from one id to the other', `00-${ID}0-${SPAN.slice(1)}-01`],
    ['no flags', `00-${ID}-${SPAN}`],
    ['flags that are not hex', `00-${ID}-${SPAN}-0g`],
    ['blanks around it', ` ${VALID} `],
    ['a line break behind it', `${VALID}\n`],
    ['a line break instead of its last digit', `${VALID.slice(0, -1)}\n`],
    ['two headers, joined', `${VALID}, ${VALID}`],
    ['digits of another script', VALID.replaceAll('0', '\u0660')],
    ['letters that look the same', VALID.replaceAll('a', '\u0430')],
    ['a letter of two code units', `00-${ID.slice(2)}\u{1d7d8}-${SPAN}-01`],
    ['a forged log line', `00-${ID}-${SPAN}-01\ncompleted job=1`],
    ['a million characters', `${VALID}${'0'.repeat(1e6)}`],
  ])('%s', (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined()
    expect(readTraceparent(header)).toMatchObject({ id: expect.stringMatching(ZEROS_ALLOWED) })
    expect(readTraceparent(header).id).not.toBe(ID)
  })

  test('for any header, the id that is logged and sent is valid', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^00-[0-9a-f-]{52}$/)),
        header => {
          expect(readTraceparent(header).id).toMatch(ZEROS_ALLOWED)
          expect(parseTraceparent(writeTraceparent(readTraceparent(header)))).toBeDefined()
        },
      ),
    )
  })
})

describe('the header of the next hop', () => {
  test('has the same trace id and a new span id each time', () => {
    const sent = Array.from({ length: 100 }, () => parseTraceparent(writeTraceparent(readTraceparent(VALID))))
    expect(new Set(sent.map(trace => trace?.id))).toEqual(new Set([ID]))
    expect(new Set([SPAN, ...sent.map(trace => trace?.parentId)]).size).toBe(101)
  })

  test('keeps the sampled flag, and clears flags that version 00 does not define', () => {
    const flagsSent = (flags: string): string =>
      writeTraceparent(readTraceparent(`00-${ID}-${SPAN}-${flags}`)).slice(-2)
    expect(['00', '01', '02', 'ff', 'fe'].map(flagsSent)).toEqual(['00', '01', '00', '01', '00'])
  })
})
