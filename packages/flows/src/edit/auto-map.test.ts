import { expect, test } from 'vitest'
import { checkFlow } from '../check/check-flow.ts'
import type { Finding } from '../check/finding.ts'
import type { Flow } from '../document/flow.ts'
import { buildGraph } from '../graph/graph.ts'
import { checkRandomly, randomFlow } from '../test-setup/random-flow.ts'
import { flowOf, jobStep, QR, SUMMARY } from '../test-setup/sample-flows.ts'
import { applyEdits } from './apply-edit.ts'
import { autoMap } from './auto-map.ts'

const text = { type: 'string' } as const
const needed = { ...text, required: true } as const

/** The proposed wires, as `summary.text > qr.content`. */
function mapped(flow: Flow, step: string): readonly string[] {
  return autoMap(buildGraph(flow), step).map(edit => {
    if (edit.edit !== 'connect') throw new TypeError(edit.edit)
    return `${edit.from.step}.${edit.from.port} > ${edit.to.step}.${edit.to.port}`
  })
}

test('inputs are fed by outputs of their name, then by similar names, then by the nearest that fits', () => {
  const flow = flowOf(
    { article: needed, language: text },
    {
      summary: SUMMARY,
      next: jobStep({ text: needed, 'Target-Language': needed, short_summary: needed, note: text }, {}),
    },
    ['input.article > summary.text'],
  )
  expect(mapped(flow, 'next')).toEqual([
    'input.article > next.text',
    'input.language > next.Target-Language',
    'summary.summary > next.short_summary',
  ])
})

test('an input with a wire or a value is not changed', () => {
  const flow = flowOf(
    { content: text, text },
    { qr: { ...QR, constants: { content: 'x' } }, summary: SUMMARY },
    ['input.content > summary.text'],
  )
  expect(mapped(flow, 'qr')).toEqual([])
  expect(mapped(flow, 'summary')).toEqual([])
})

test('a lossy wire is only proposed for the same name', () => {
  const short = { ...needed, maxLength: 5 } as const
  const flow = (name: string): Flow => flowOf({ [name]: text }, { one: jobStep({ title: short }, {}) }, [])
  expect(mapped(flow('Title'), 'one')).toEqual(['input.Title > one.title'])
  expect(mapped(flow('subtitle'), 'one')).toEqual([])
  expect(mapped(flow('text'), 'one')).toEqual([])
})

test('outputs that cannot fit are never wired, whatever their name', () => {
  const flow = flowOf({ title: { type: 'object' } }, { one: jobStep({ title: needed }, {}) }, [])
  expect(mapped(flow, 'one')).toEqual([])
})

test('by its type alone no optional input is fed, and no output feeds two inputs', () => {
  const flow = flowOf({ a: needed }, { one: jobStep({ b: needed, c: needed, d: text }, {}) }, [])
  expect(mapped(flow, 'one')).toEqual(['input.a > one.b'])
})

test('a step whose output may be missing, or that has two ways, is not a source by its type alone', () => {
  const flow = flowOf(
    { n: { type: 'number' } },
    {
      is: { kind: 'branch', condition: { is: 'there' } },
      odd: jobStep({}, { y: { ...text, required: false } }),
      one: jobStep({ b: needed }, {}),
    },
    ['input.n > is.value'],
  )
  expect(mapped(flow, 'one')).toEqual([])
})

test('in random flows with removed wires, the proposed wires are valid and create no cycle', () => {
  let joined = 0
  checkRandomly(200, random => {
    const whole = randomFlow(random)
    const flow = { ...whole, wires: whole.wires.filter((_, index) => index % 3 > 0) }
    for (const step of Object.keys(flow.steps)) {
      const before = checkFlow(flow)
      const edits = autoMap(buildGraph(flow), step)
      const after = checkFlow(applyEdits(flow, edits))
      joined += edits.length
      // It then passes on another type, which the next step may not accept.
      const isItsOwn = (one: Finding): boolean =>
        one.severity === 'error' && (one.step === step || one.id.startsWith('circle'))
      const known = new Set(before.findings.map(({ id }) => id))
      expect(
        after.findings.filter(one => isItsOwn(one) && !known.has(one.id)),
        step,
      ).toEqual([])
    }
  })
  expect(joined).toBeGreaterThan(200)
})
