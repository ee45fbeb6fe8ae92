import { expect, test } from 'vitest'
import { buildGraph } from '../graph/graph.ts'
import { flowOf, jobStep } from '../test-setup/sample-flows.ts'
import { applyEvent } from './apply-event.ts'
import { startRun } from './start-run.ts'
import { statusOf } from './run-status.ts'

test('a hundred items that each take long to check end their step once the check has reached its limit', () => {
  const slow = { type: 'string', pattern: '(\\w|\\d|\\s|.){900}$', required: true } as const
  const flow = flowOf(
    { list: { type: 'array', items: { type: 'string' } } },
    { each: jobStep({ a: slow }, { x: { type: 'string' } }, { map: { port: 'a', most: 100 } }) },
    ['input.list > each.a', 'each.x > output.x'],
  )
  const input = { list: Array.from({ length: 100 }, () => 'ab c9-x_'.repeat(360)) }
  const started = startRun(buildGraph(flow), input, { max_total: '1', now: 0 })
  expect(started.ok && started.run.steps['each']).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/^item 3: a: is where the check reached its limit/),
  })
})

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'a step may be called %s: its payment is taken, and what follows is ordered',
  name => {
    const flow = flowOf(
      { a: { type: 'string', required: true } },
      { [name]: jobStep({ a: TEXT }, { x: TEXT }) },
      [`input.a > ${name}.a`, `${name}.x > output.x`],
    )
    const graph = buildGraph(flow)
    const started = startRun(graph, { a: 'x' }, { max_total: '1', now: 0 })
    if (!started.ok) throw new Error(started.reason)
    expect(statusOf(graph, started.run).waiting).toMatchObject([{ for: 'payment', key: name }])
    const payment = { job_id: 'job', amount: '0.01', pay_to: '0xa9e0', valid_before: 900 }
    const paid = applyEvent(graph, started.run, { event: 'paid-in', key: name, payment }, 0)
    expect(paid.ok && paid.effects).toEqual([{ effect: 'quote', key: name }])
  },
)

test.each([
  { kind: 'approval', question: 'Go on?' },
  { kind: 'wait', seconds: 60 },
] as const)('behind $kind too the values of a run stay within what it may have', gate => {
  const copies = Array.from({ length: 150 }, (_, index) => `copy${index}`)
  const flow = flowOf(
    { a: { type: 'string', required: true } },
    { gate, ...Object.fromEntries(copies.map(id => [id, { kind: 'template', text: '{x}' }] as const)) },
    [
      'input.a > gate.value',
      ...copies.map(id => `gate.${gate.kind === 'wait' ? 'value' : 'approved'} > ${id}.x`),
      'copy0.text > output.x',
    ],
  )
  const graph = buildGraph(flow)
  // As JSON each of these characters is six.
  const started = startRun(graph, { a: '\u0001'.repeat(100_000) }, { max_total: '1', now: 0 })
  if (!started.ok) throw new Error(started.reason)
  const opened = applyEvent(
    graph,
    started.run,
    gate.kind === 'wait' ? { event: 'woken' } : { event: 'answered', step: 'gate', approved: true },
    61,
  )
  if (!opened.ok) throw new Error(opened.reason)
  const given = JSON.stringify(flow).length + JSON.stringify(opened.run.input).length
  expect(JSON.stringify(opened.run.steps).length).toBeLessThan(524_288 + 2 * given + 150 * 100)
  const states = copies.map(id => opened.run.steps[id])
  expect(states[0]).toMatchObject({ state: 'done' })
  expect(states.at(-1)).toEqual({
    state: 'failed',
    reason:
      'does not fit: until a job of it is ordered, a run has at most twice the size of its flow and input, and 512 KiB, of values',
  })
  expect(applyEvent(graph, opened.run, { event: 'cancelled' }, 62).ok).toBe(true)
})

const TEXT = { type: 'string' } as const
