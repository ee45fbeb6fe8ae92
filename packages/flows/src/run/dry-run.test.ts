import { compileOutput } from '@farebox/protocol/fields/compile'
import { expect, test } from 'vitest'
import { buildGraph } from '../graph/graph.ts'
import { checkRandomly, randomFlow } from '../test-setup/random-flow.ts'
import { flowOf, jobStep, QR, SUMMARY, SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import { dryRun } from './dry-run.ts'

const text = { type: 'string' } as const
const work = jobStep({ a: { ...text, required: true } }, { x: text, y: { ...text, required: false } })

test('a flow is run on samples of its agents’ inputs and outputs', () => {
  expect(dryRun(buildGraph(SUMMARY_AND_QR))).toEqual({
    ok: true,
    input: { article: 'text' },
    steps: [
      {
        step: 'summary',
        state: 'done',
        reason: null,
        outputs: { summary: 'text', words: 1, links: ['text'] },
      },
      { step: 'link', state: 'done', reason: null, outputs: { value: 'text' } },
      { step: 'qr', state: 'done', reason: null, outputs: { svg: 'text' } },
    ],
    output: { summary: 'text', code: 'text' },
  })
})

test('a given input is checked as a run checks it, and replaces the sample', () => {
  const flow = flowOf(
    { a: text, n: { type: 'integer', default: 2 } },
    { t: { kind: 'template', text: '{a}{n}' } },
    ['input.a > t.a', 'input.n > t.n', 't.text > output.text'],
  )
  expect(dryRun(buildGraph(flow), { a: 'x' })).toMatchObject({
    input: { a: 'x', n: 2 },
    output: { text: 'x2' },
  })
  expect(dryRun(buildGraph(flow), { a: [] })).toEqual({
    ok: false,
    reason: 'a: must be a string, got an array of 0 items',
  })
})

test('people approve and waits are skipped, however long they are', () => {
  const flow = flowOf(
    { a: text, at: { ...text, format: 'date-time' } },
    {
      ask: { kind: 'approval', question: 'Go on?' },
      long: { kind: 'wait', seconds: 86_400 },
      until: { kind: 'wait' },
      yes: { kind: 'template', text: 'yes {a}' },
      no: work,
    },
    [
      'input.a > long.value',
      'long.value > until.value',
      'input.at > until.until',
      'until.value > ask.value',
      'ask.approved > yes.a',
      'ask.declined > no.a',
      'yes.text > output.yes',
      'no.x > output.no',
    ],
  )
  const played = dryRun(buildGraph(flow), { a: 'x', at: '2999-01-01T00:00:00Z' })
  expect(played).toMatchObject({ ok: true, output: { yes: 'yes x' } })
  expect(played.ok && played.steps.find(({ step }) => step === 'no')).toEqual({
    step: 'no',
    state: 'skipped',
    reason: null,
    outputs: null,
  })
})

test('a list has one sample for each of its items', () => {
  const flow = flowOf(
    { list: { type: 'array', items: text, minItems: 3 } },
    { each: { ...SUMMARY, map: { port: 'text', most: 5 } } },
    ['input.list > each.text', 'each.words > output.words'],
  )
  expect(dryRun(buildGraph(flow))).toMatchObject({ output: { words: [1, 1, 1] } })
})

test('a failed step has a reason, and steps that depend on it wait', () => {
  const flow = flowOf(
    { a: text },
    {
      odd: jobStep({ a: text }, { x: { ...text, pattern: '^(?i:ab)\\bq$' } }),
      qr: { ...QR, constants: {} },
      long: { kind: 'template', text: 'x'.repeat(501) },
      after: work,
    },
    ['input.a > odd.a', 'odd.x > after.a', 'long.text > qr.content', 'qr.svg > output.svg'],
  )
  const played = dryRun(buildGraph(flow))
  expect(
    played.ok && Object.fromEntries(played.steps.map(({ step, state, reason }) => [step, reason ?? state])),
  ).toEqual({
    odd: 'No sample output is possible: x: no sample could be made, it needs "examples"',
    long: 'done',
    after: 'waiting',
    qr: 'content: must be at most 500 characters, got 501',
  })
})

test('steps in a cycle wait', () => {
  const flow = flowOf({}, { one: work, two: work }, ['one.x > two.a', 'two.x > one.a'])
  expect(dryRun(buildGraph(flow))).toMatchObject({ steps: [{ state: 'waiting' }, { state: 'waiting' }] })
})

test('very large samples end the steps that exceed the limit', () => {
  const list = { type: 'array', items: text, minItems: 30_000 } as const
  const flow = flowOf(
    {},
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`s${index}`, jobStep({}, { x: list })])),
    [],
  )
  const played = dryRun(buildGraph(flow))
  expect(JSON.stringify(played).length).toBeLessThan(5_000_000)
  expect(played.ok && played.steps.at(-1)).toMatchObject({ state: 'failed' })
})

test('random flows run to outputs that match the schemas of their agents', () => {
  let done = 0
  checkRandomly(200, random => {
    const flow = randomFlow(random)
    const played = dryRun(buildGraph(flow))
    if (!played.ok) throw new Error(played.reason)
    expect(played.steps.map(({ step }) => step).toSorted()).toEqual(Object.keys(flow.steps).toSorted())
    for (const { step: id, state, outputs } of played.steps) {
      const step = flow.steps[id]
      if (state !== 'done' || step?.kind !== 'job' || step.map !== undefined) continue
      expect(compileOutput(step.pinned.output_schema)(outputs).ok, id).toBe(true)
      done += 1
    }
  })
  expect(done).toBeGreaterThan(200)
})
