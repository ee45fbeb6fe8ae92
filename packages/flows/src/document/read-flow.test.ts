import { formatProblem } from '@farebox/protocol/problems/problem'
import { expect, test } from 'vitest'
import { checkRandomly, randomFlow } from '../test-setup/random-flow.ts'
import { SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import type { Flow } from './flow.ts'
import { readFlow } from './read-flow.ts'

function problemsOf(value: unknown): readonly string[] {
  const read = readFlow(value)
  return read.ok ? [] : read.problems.map(formatProblem)
}

test('a flow written as JSON is read unchanged', () => {
  const isKept = (flow: Flow): void => {
    const read = readFlow(JSON.parse(JSON.stringify(flow)))
    expect(read.ok && read.flow).toEqual(JSON.parse(JSON.stringify(flow)))
  }
  isKept(SUMMARY_AND_QR)
  checkRandomly(50, random => isKept(randomFlow(random)))
})

test('wires to missing ports are read: they are reported by the check, not refused', () => {
  const wires = [{ from: { step: 'gone', port: 'x' }, to: { step: 'never', port: 'y' } }]
  expect(readFlow({ ...SUMMARY_AND_QR, wires }).ok).toBe(true)
})

test.each<[string, unknown, string]>([
  ['no object', 7, 'invalid input: expected object, received number'],
  ['another format', { ...SUMMARY_AND_QR, flow_version: 2 }, 'flow_version: invalid input: expected 1'],
  [
    'a step called input',
    { ...SUMMARY_AND_QR, steps: { input: { kind: 'to-number' } } },
    'steps.input: invalid key in record',
  ],
  ['a step of no kind', { ...SUMMARY_AND_QR, steps: { a: { kind: 'code', code: 'x' } } }, 'steps.a.kind: '],
  ['more than is known', { ...SUMMARY_AND_QR, script: 'x' }, 'unrecognized key: "script"'],
  ['a schema that is none', { ...SUMMARY_AND_QR, inputs: { a: { type: 'text' } } }, 'inputs.a.type: '],
  ['a type to pick that is none', withPick({ type: 'words' }), 'steps.first.gives.type: '],
  ['a type to pick that is no field', withPick(7), 'steps.first.gives: '],
  [
    'an output named twice',
    { ...SUMMARY_AND_QR, outputs: ['a', 'a'] },
    'outputs: must not name an output twice',
  ],
  [
    'a price that is none',
    withPinned({ price: '1e3' }),
    'steps.summary.pinned.price: must be decimal USDC like "0.01", with at most 6 decimals',
  ],
])('%s is refused with its field', (_, value, expected) => {
  expect(problemsOf(value)[0]?.slice(0, expected.length)).toBe(expected)
})

test.each([
  [0.5, true],
  [3_600, true],
  [0, false],
  [3_600.5, false],
])('a deadline of %d seconds, as declarations have them, is read: %o', (seconds, isRead) => {
  expect(readFlow(withPinned({ max_deadline_seconds: seconds })).ok).toBe(isRead)
})

test('more than a megabyte is refused before it is parsed', () => {
  expect(problemsOf({ ...SUMMARY_AND_QR, description: 'x'.repeat(1_048_577) })[0]).toMatch(
    /must be at most 1048576 characters of JSON/,
  )
})

function withPick(gives: unknown): unknown {
  return { ...SUMMARY_AND_QR, steps: { first: { kind: 'pick', path: [0], gives } } }
}

function withPinned(changes: object): unknown {
  const { summary } = SUMMARY_AND_QR.steps
  if (summary?.kind !== 'job') throw new TypeError('no job')
  const pinned = { ...summary.pinned, ...changes }
  return { ...SUMMARY_AND_QR, steps: { summary: { ...summary, pinned } } }
}
