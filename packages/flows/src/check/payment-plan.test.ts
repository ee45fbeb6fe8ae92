import { expect, test } from 'vitest'
import { buildGraph } from '../graph/graph.ts'
import type { Step } from '../document/flow.ts'
import { flowOf, jobStep, SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import { paymentPlan } from './payment-plan.ts'

const text = { type: 'string' } as const
const list = { type: 'array', items: text } as const
const work = (given: Parameters<typeof jobStep>[2] = {}): Step => jobStep({ a: text }, { x: text }, given)

function planOf(steps: { readonly [id: string]: Step }, wires: readonly string[]) {
  return paymentPlan(buildGraph(flowOf({ t: text, l: list }, steps, wires)))
}

test('consecutive steps are signed at once, each valid until its own end and for a retry', () => {
  expect(paymentPlan(buildGraph(SUMMARY_AND_QR))).toEqual([
    { step: 'summary', keys: ['summary'], sign: 'now', validForSeconds: 960 },
    { step: 'qr', keys: ['qr'], sign: 'now', validForSeconds: 1_020 },
  ])
})

test('the slowest path to a step counts, with its declared waits', () => {
  const plan = planOf(
    {
      end: jobStep({ a: text, b: text }, { x: text }),
      quick: work(),
      pause: { kind: 'wait', seconds: 300 },
      slow: work(),
    },
    [
      'input.t > quick.a',
      'input.t > pause.value',
      'pause.value > slow.a',
      'quick.x > end.a',
      'slow.x > end.b',
    ],
  )
  expect(plan.map(({ step, validForSeconds }) => [step, validForSeconds])).toEqual([
    ['quick', 60 + 900],
    ['slow', 300 + 60 + 900],
    ['end', 300 + 120 + 900],
  ])
})

test('a step after a person, or after a time that only the run knows, is signed later, at any distance', () => {
  const plan = planOf(
    {
      before: work(),
      ask: { kind: 'approval', question: 'Go on?' },
      middle: work(),
      end: work(),
      until: { kind: 'wait' },
      timed: work(),
      ordered: { ...work(), after: [{ step: 'middle', port: 'x' }] },
    },
    [
      'input.t > before.a',
      'before.x > ask.value',
      'ask.approved > middle.a',
      'middle.x > end.a',
      'input.t > until.value',
      'before.x > until.until',
      'until.value > timed.a',
      'input.t > ordered.a',
    ],
  )
  expect(Object.fromEntries(plan.map(({ step, sign }) => [step, sign]))).toEqual({
    before: 'now',
    middle: 'later',
    end: 'later',
    timed: 'later',
    ordered: 'later',
  })
})

test('a list has a key for each possible item, each signed when the run knows the list', () => {
  const each: Step = { ...jobStep({ a: text }, { x: text }), map: { port: 'a', most: 3 } }
  expect(planOf({ each, after: work() }, ['input.l > each.a', 'each.x > after.a'])).toEqual([
    { step: 'each', keys: ['each#0', 'each#1', 'each#2'], sign: 'later', validForSeconds: 960 },
    { step: 'after', keys: ['after'], sign: 'now', validForSeconds: 1_020 },
  ])
})

test('no authorization is valid for more than a day: steps that start after that are signed later', () => {
  const waits = (seconds: number) =>
    planOf({ pause: { kind: 'wait', seconds }, late: work() }, [
      'input.t > pause.value',
      'pause.value > late.a',
    ])
  expect(waits(86_400 - 60)).toMatchObject([{ sign: 'now', validForSeconds: 86_400 }])
  expect(waits(86_400 - 59)).toMatchObject([{ sign: 'later', validForSeconds: 86_400 }])
})

test('seconds are rounded up when a deadline is fractional', () => {
  const step = jobStep({ a: text }, { x: text })
  const half: Step = { ...step, pinned: { ...step.pinned, max_deadline_seconds: 0.5 } }
  expect(planOf({ half }, ['input.t > half.a'])[0]?.validForSeconds).toBe(931)
})
