import { describe, expect, test } from 'vitest'
import type { Flow, JobStep, Step } from '../document/flow.ts'
import { applyEdit, applyEdits } from '../edit/apply-edit.ts'
import { flowOf, jobStep, QR, SUMMARY, SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import { pin, type Catalog, type CurrentCapability } from './catalog.ts'
import { checkFlow } from './check-flow.ts'
import type { Finding } from './finding.ts'

/** The flow after the first repair of a rule's first finding, or after the repair with the given label. */
function repair(flow: Flow, findings: readonly Finding[], rule: string, label?: string): Flow {
  const finding = findings.find(({ id }) => id.startsWith(rule))
  const found = finding?.repairs.find(one => label === undefined || one.label === label)
  if (found === undefined) throw new Error(`no repair of ${rule}: ${JSON.stringify(findings)}`)
  return applyEdits(flow, found.edits)
}

function errorsOf(flow: Flow): readonly string[] {
  return checkFlow(flow)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message)
}

const text = { type: 'string' } as const
const number = { type: 'number' } as const

test('a valid flow has a price, a duration, and the schema of its outputs', () => {
  const checked = checkFlow(SUMMARY_AND_QR)
  expect(checked).toMatchObject({
    ok: true,
    price: { at_least: '0.015', at_most: '0.015' },
    duration: { seconds: 120, path: ['summary', 'link', 'qr'], waits_for: [] },
    output_schema: { summary: { type: 'string' }, code: { type: 'string' } },
  })
  expect(checked.findings.map(({ severity, id }) => [severity, id])).toEqual([
    ['warning', 'lossy qr content'],
  ])
})

test('an approval and a wait on which no step depends get a warning', () => {
  const idle = {
    ...SUMMARY_AND_QR,
    steps: {
      ...SUMMARY_AND_QR.steps,
      ask: { kind: 'approval', question: 'Go on?', constants: { value: 1 } },
      pause: { kind: 'wait', seconds: 5, constants: { value: 1 } },
    },
  } as const
  const told = (flow: Flow): readonly unknown[] =>
    checkFlow(flow)
      .findings.filter(({ id }) => id.startsWith('idle'))
      .map(({ severity, step, message }) => [severity, step, message])
  expect(told(idle)).toEqual([
    ['warning', 'ask', 'No step waits for this approval.'],
    ['warning', 'pause', 'No step comes after this wait.'],
  ])
  const after = [
    { step: 'ask', port: 'approved' },
    { step: 'pause', port: 'value' },
  ]
  const last: Step = { kind: 'template', text: 'done', after }
  expect(told({ ...idle, steps: { ...idle.steps, last } })).toEqual([])
})

describe('inputs and outputs without a source', () => {
  test('a required input can be fed by the best output, or requested from the user; no value is invented', () => {
    const flow = applyEdit(SUMMARY_AND_QR, { edit: 'disconnect', to: { step: 'qr', port: 'content' } })
    const { ok, findings } = checkFlow(flow)
    expect(ok).toBe(false)
    expect(findings[0]).toMatchObject({
      id: 'unfed qr content',
      message: '“content” is required, and nothing feeds it.',
    })
    expect(findings[0]?.repairs.map(({ label }) => label)).toContain('Ask for “content” when the flow runs')
    for (const { label } of findings[0]?.repairs ?? []) {
      expect(checkFlow(repair(flow, findings, 'unfed', label)).ok, label).toBe(true)
    }
  })

  test('unused outputs of earlier steps are offered first: the main output, even if its value may be refused', () => {
    const summary = jobStep(
      { text: { ...text, required: true } },
      { summary: text, sentences: { type: 'array', items: text }, kept: number },
    )
    const short = jobStep({ text: { ...text, required: true, maxLength: 1_200 } }, { svg: text })
    const labels = (wires: readonly string[]): readonly string[] =>
      checkFlow(flowOf({ text }, { summary, qr: short }, wires)).findings.flatMap(({ id, repairs }) =>
        id === 'unfed qr text' ? repairs.map(({ label }) => label) : [],
      )
    expect(labels(['input.text > summary.text', 'qr.svg > output.svg'])).toEqual([
      'Use “summary” from Worker',
      'Use “text” from the flow’s input',
    ])
    // Its output is used.
    const used = ['input.text > summary.text', 'summary.summary > output.summary', 'qr.svg > output.svg']
    expect(labels(used)[0]).toBe('Use “text” from the flow’s input')
  })

  test('a step that was added later is not offered to the steps before it', () => {
    const flow = flowOf(
      {},
      { one: jobStep({ a: { ...text, required: true } }, { b: text }), two: jobStep({}, { c: text }) },
      ['one.b > output.b'],
    )
    const unfed = checkFlow(flow).findings.find(({ id }) => id === 'unfed one a')
    expect(unfed?.repairs.map(({ label }) => label)).toContain('Ask for “a” when the flow runs')
  })

  test('an output of the flow without a source is an error, removed by one repair', () => {
    const flow = applyEdit(SUMMARY_AND_QR, { edit: 'add-output', name: 'words' })
    const { findings } = checkFlow(flow)
    expect(findings[0]).toMatchObject({ severity: 'error', step: 'output', port: 'words' })
    expect(checkFlow(repair(flow, findings, 'unfed')).ok).toBe(true)
    expect(repair(flow, findings, 'unfed').wires.at(-1)?.from).toEqual({ step: 'summary', port: 'words' })
  })

  test('no repair creates a cycle', () => {
    const flow = flowOf(
      {},
      {
        one: jobStep({ a: { ...text, required: true } }, { a: text }),
        two: jobStep({ a: { ...text, required: true } }, { a: text }),
      },
      ['one.a > two.a', 'two.a > output.a'],
    )
    const { findings } = checkFlow(flow)
    const sources = findings[0]?.repairs.flatMap(({ edits }) =>
      edits.flatMap(edit => (edit.edit === 'connect' ? [edit.from.step] : [])),
    )
    expect(sources).toEqual(['input'])
  })

  test('a constant is checked as the agent would check it', () => {
    const flow = flowOf({}, { qr: { ...QR, constants: { content: 'x'.repeat(501) } } }, [
      'qr.svg > output.svg',
    ])
    expect(errorsOf(flow)).toEqual(['content: must be at most 500 characters, got 501'])
  })
})

describe('wires', () => {
  test.each([
    ['number', 'string', 'safe'],
    ['string', 'number', 'lossy'],
    ['array', 'string', 'impossible'],
    ['object', 'string', 'impossible'],
    ['boolean', 'boolean', 'same'],
  ] as const)('of %s into %s is %s', (from, to, grade) => {
    const flow = flowOf(
      {},
      { one: jobStep({}, { a: { type: from } }), two: jobStep({ b: { type: to } }, { c: text }) },
      ['one.a > two.b', 'two.c > output.c'],
    )
    const { wires, ok } = checkFlow(flow)
    expect(wires[0]?.grade).toBe(grade)
    expect(ok).toBe(grade !== 'impossible')
  })

  test('an input of the flow whose value may be refused can be narrowed to what all its targets accept', () => {
    const step = (least: number, most: number): JobStep =>
      jobStep({ a: { type: 'string', minLength: least, maxLength: most } }, { b: text })
    const flow = flowOf(
      { words: { type: 'string', required: true, description: 'What it is about' } },
      { one: step(20, 500), two: step(1, 200) },
      ['input.words > one.a', 'input.words > two.a', 'one.b > output.x', 'two.b > output.y'],
    )
    const label = 'Accept only what “a” takes'
    const once = repair(flow, checkFlow(flow).findings, 'lossy', label)
    expect(checkFlow(once).wires.map(({ grade }) => grade)).toEqual(['same', 'lossy', 'same', 'same'])
    const twice = repair(once, checkFlow(once).findings, 'lossy', label)
    expect(twice.inputs['words']).toEqual({
      type: 'string',
      required: true,
      description: 'What it is about',
      minLength: 20,
      maxLength: 200,
    })
    expect(checkFlow(twice).findings).toEqual([])
  })

  test('an input of the flow is not narrowed for one step if another step never accepts that', () => {
    const step = (word: string): JobStep => jobStep({ a: { type: 'string', enum: [word] } }, { b: text })
    const flow = flowOf(
      { words: { type: 'string', required: true } },
      { one: step('yes'), two: step('no') },
      ['input.words > one.a', 'input.words > two.a', 'one.b > output.x', 'two.b > output.y'],
    )
    const { findings } = checkFlow(flow)
    expect(findings.map(({ id, repairs }) => [id, repairs])).toEqual([
      ['lossy one a', []],
      ['lossy two a', []],
    ])
  })

  test('an impossible wire is repaired by a free adapter if one helps', () => {
    const flow = flowOf(
      {},
      { one: jobStep({}, { lines: { type: 'array', items: text } }), two: jobStep({ b: text }, { c: text }) },
      ['one.lines > two.b', 'two.c > output.c'],
    )
    const { findings } = checkFlow(flow)
    expect(findings[0]?.repairs.map(({ label }) => label)).toEqual([
      'Join its items, one per line',
      'Take its first item',
      'Remove the wire',
    ])
    const mended = repair(flow, findings, 'impossible')
    expect(checkFlow(mended)).toMatchObject({ ok: true, findings: [] })
    expect(checkFlow(mended).price).toEqual({ at_least: '0.004', at_most: '0.004' })
  })

  test('two wires into one input, and a wire beside a constant, are errors', () => {
    const flow = {
      ...SUMMARY_AND_QR,
      wires: [
        ...SUMMARY_AND_QR.wires,
        { from: { step: 'summary', port: 'summary' }, to: { step: 'qr', port: 'content' } },
      ],
    }
    expect(errorsOf(flow)).toEqual(['Two wires feed “content”. Put a “First of” before it.'])
    const both = {
      ...SUMMARY_AND_QR,
      steps: { ...SUMMARY_AND_QR.steps, qr: { ...QR, constants: { content: 'x' } } },
    }
    expect(errorsOf(both)).toEqual(['“content” has both a wire and a value.'])
  })

  test('a cycle is reported with its steps, and opened by a repair', () => {
    const flow = flowOf(
      {},
      { one: jobStep({ a: text }, { b: text }), two: jobStep({ a: text }, { b: text }) },
      ['one.b > two.a', 'two.b > one.a', 'two.b > output.b'],
    )
    const { findings } = checkFlow(flow)
    expect(findings[0]?.message).toBe('These steps wait for each other in a circle: Worker, Worker.')
    expect(checkFlow(repair(flow, findings, 'circle')).ok).toBe(true)
  })
})

describe('the price of branches', () => {
  const branching = flowOf(
    { n: { ...number, required: true } },
    {
      is: { kind: 'branch', condition: { is: 'at-least', value: 10 } },
      dear: jobStep({ n: { ...number, required: true } }, { text }, { price: '0.02' }),
      cheap: jobStep({ n: { ...number, required: true } }, { text }, { price: '0.005' }),
      first: { kind: 'first', count: 2 },
      last: jobStep({ text: { ...text, required: true } }, { text }, { price: '0.001' }),
    },
    [
      'input.n > is.value',
      'is.then > dear.n',
      'is.else > cheap.n',
      'dear.text > first.1',
      'cheap.text > first.2',
      'first.value > last.text',
      'last.text > output.text',
    ],
  )

  test('is the minimum and the maximum over all ways', () => {
    expect(checkFlow(branching)).toMatchObject({
      ok: true,
      price: { at_least: '0.006', at_most: '0.021' },
      output_schema: { text: { type: 'string' } },
    })
  })

  test('an output behind one way of a branch is optional', () => {
    const flow = applyEdits(branching, [
      { edit: 'add-output', name: 'dear' },
      { edit: 'connect', from: { step: 'dear', port: 'text' }, to: { step: 'output', port: 'dear' } },
    ])
    expect(checkFlow(flow).output_schema['dear']).toEqual({ type: 'string', required: false })
  })

  test('the minimum price of a list is zero, and the maximum is that of its declared maximum of items', () => {
    const flow = flowOf(
      { texts: { type: 'array', items: text, required: true } },
      { each: { ...SUMMARY, map: { port: 'text', most: 7 } } },
      ['input.texts > each.text', 'each.summary > output.summaries'],
    )
    expect(checkFlow(flow)).toMatchObject({
      price: { at_least: '0', at_most: '0.07' },
      output_schema: { summaries: { type: 'array', items: { type: 'string' }, maxItems: 7 } },
    })
  })

  test('a payer with less money gets a finding before anything is signed', () => {
    const { ok, findings } = checkFlow(SUMMARY_AND_QR, { balance: '0.0149' })
    expect(ok).toBe(false)
    expect(findings[0]?.message).toBe('The wallet has 0.0149 USDC; a run costs up to 0.015 USDC.')
    expect(checkFlow(SUMMARY_AND_QR, { balance: '0.015' }).ok).toBe(true)
  })
})

describe('changes since the flow was created', () => {
  const current: CurrentCapability = { ...SUMMARY.pinned, state: 'online', permissions: [] }
  const now = (changes: Partial<CurrentCapability>): Catalog => ({
    find: (_, capability) =>
      capability === 'summarize' ? { ...current, hash: 'b'.repeat(64), ...changes } : undefined,
  })

  test('an output that was renamed keeps its wire, which is marked, and is connected by one repair', () => {
    const { links, ...rest } = SUMMARY.pinned.output_schema
    const catalog = now({ output_schema: { ...rest, link: links ?? text } })
    const { ok, findings } = checkFlow(SUMMARY_AND_QR, { catalog })
    expect(ok).toBe(false)
    expect(findings[0]?.message).toBe('Worker gives no “links”. Its new name may be “link”.')
    const mended = repair(SUMMARY_AND_QR, findings, 'broken', 'Connect it to “link”')
    expect(checkFlow(mended, { catalog }).ok).toBe(true)
  })

  test('a higher price needs a new agreement, a lower one does not', () => {
    const dearer = now({ price: '0.02' })
    const { ok, findings } = checkFlow(SUMMARY_AND_QR, { catalog: dearer })
    expect([ok, findings[0]?.message]).toEqual([false, 'The price has risen: 0.01 → 0.02 USDC.'])
    const accepted = repair(SUMMARY_AND_QR, findings, 'dearer', 'Accept 0.02 USDC')
    expect(checkFlow(accepted, { catalog: dearer })).toMatchObject({ ok: true, price: { at_most: '0.025' } })
    expect(checkFlow(SUMMARY_AND_QR, { catalog: now({ price: '0.001' }) })).toMatchObject({
      ok: true,
      price: { at_most: '0.006' },
    })
  })

  test('an agent that was removed, is offline or closed cannot be run', () => {
    const gone: Catalog = { find: (_, capability) => (capability === 'encode' ? null : undefined) }
    expect(checkFlow(SUMMARY_AND_QR, { catalog: gone }).ok).toBe(false)
    expect(checkFlow(SUMMARY_AND_QR, { catalog: now({ state: 'offline' }) }).ok).toBe(false)
    expect(checkFlow(SUMMARY_AND_QR, { catalog: now({ hash: current.hash }) }).findings).toHaveLength(1)
  })

  test('pinning the agent again removes the note', () => {
    const catalog = now({ max_deadline_seconds: 5 })
    const { findings } = checkFlow(SUMMARY_AND_QR, { catalog })
    const kept = repair(SUMMARY_AND_QR, findings, 'changed')
    expect(kept.steps['summary']).toMatchObject({
      pinned: pin({ ...current, hash: 'b'.repeat(64), max_deadline_seconds: 5 }),
    })
    expect(checkFlow(kept, { catalog }).findings.some(({ id }) => id.startsWith('changed'))).toBe(false)
  })
})
