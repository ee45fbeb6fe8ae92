import { expect, test } from 'vitest'
import { formatLine } from './record-benches.ts'

const row = {
  what: 'a paid job',
  short: 'a job',
  ours: '42.0/s',
  peer: { name: '@x402/hono', figure: '2.00/s' },
  ratio: 21,
  goal: { atLeast: 35 },
}

test('a line has the measured ratio, the peer, and whether the target is met', () => {
  expect(formatLine(row)).toEqual({
    test: 'a paid job',
    reached: '42.0/s; @x402/hono 2.00/s (21.00×)',
    target: '≥ 35×',
    ok: false,
    short: 'a job',
    times: 21,
    goal: 35,
  })
})

test('a row without a goal has no target to miss', () => {
  expect(formatLine({ what: 'a page', ours: '3 ms' })).toEqual({
    test: 'a page',
    reached: '3 ms',
    target: '',
    ok: true,
  })
})
