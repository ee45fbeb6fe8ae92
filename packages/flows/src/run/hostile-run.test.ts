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
  'a step may be called %s: its payment is accepted, and later steps are ordered',
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
] as const)('after $kind too the values of a run stay within their limit', gate => {
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
  // Each of these characters takes six as JSON.
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
  expect(JSON.stringify(opened.run.steps).length).toBeLessThan(65_536 + 2 * given + 150 * 100)
  const states = copies.map(id => opened.run.steps[id])
  expect(states[0]).toMatchObject({ state: 'done' })
  expect(states.at(-1)).toEqual({
    state: 'failed',
    reason:
      'does not fit: a run has at most 7 MiB of values, and until a job of it is ordered twice what it was given',
  })
  expect(applyEvent(graph, opened.run, { event: 'cancelled' }, 62).ok).toBe(true)
})

const TEXT = { type: 'string' } as const

test('values that exceed the limit before a job is ordered are held, and their step starts after that', () => {
  const copies = Array.from({ length: 6 }, (_, index) => `copy${index}`)
  const jobs = Array.from({ length: 20 }, (_, index) => `job${index}`)
  const flow = flowOf(
    { a: { type: 'string', required: true } },
    {
      ...Object.fromEntries(jobs.map(id => [id, jobStep({ a: TEXT }, { x: TEXT })] as const)),
      ...Object.fromEntries(copies.map(id => [id, { kind: 'template', text: '{x}' }] as const)),
    },
    [
      ...jobs.map(id => `input.a > ${id}.a`),
      ...copies.map(id => `input.a > ${id}.x`),
      'copy0.text > output.x',
    ],
  )
  const graph = buildGraph(flow)
  const started = startRun(graph, { a: 'x'.repeat(200_000) }, { max_total: '1', now: 0, is_paid: true })
  if (!started.ok) throw new Error(started.reason)
  expect(jobs.map(id => started.run.steps[id]?.state)).toEqual(jobs.map(() => 'ordering'))
  expect(copies.map(id => started.run.steps[id])).toEqual(copies.map(() => undefined))
  let run = started.run
  const tell = (event: Parameters<typeof applyEvent>[2]): void => {
    const applied = applyEvent(graph, run, event, 1)
    if (!applied.ok) throw new Error(applied.reason)
    run = applied.run
  }
  const payment = { job_id: 'job', amount: '0.01', pay_to: '0xa9e0', valid_before: 900 }
  tell({ event: 'paid-in', key: 'job0', payment })
  tell({ event: 'quoted', key: 'job0', quote: { price: '0.01', pay_to: '0xa9e0' } } as never)
  expect(copies.map(id => run.steps[id]?.state)).toEqual(copies.map(() => 'done'))
})
