import { expect, test } from 'vitest'
import { checkFlow } from '../check/check-flow.ts'
import type { Flow } from '../document/flow.ts'
import { readFlow } from '../document/read-flow.ts'
import { checkRandomly, randomFlow } from '../test-setup/random-flow.ts'
import { flowOf, jobStep, LARGE_FLOW, SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import { applyEdits } from './apply-edit.ts'
import { copySteps, pasteSteps } from './copy-steps.ts'

function paste(flow: Flow, copied: Flow, at?: { readonly x: number; readonly y: number }): Flow {
  const pasted = pasteSteps(flow, copied, at)
  if (!pasted.ok) throw new Error(pasted.reason)
  return applyEdits(flow, pasted.edits)
}

test('steps are pasted with the wires between them under new ids; inputs with outside sources stay open', () => {
  const flow = paste(SUMMARY_AND_QR, copySteps(SUMMARY_AND_QR, ['summary', 'link']))
  expect(Object.keys(flow.steps)).toEqual(['summary', 'link', 'qr', 'summary-2', 'link-2'])
  expect(flow.wires.slice(SUMMARY_AND_QR.wires.length)).toEqual([
    { from: { step: 'summary-2', port: 'links' }, to: { step: 'link-2', port: 'value' } },
  ])
  expect(checkFlow(flow).findings[0]?.id).toBe('unfed summary-2 text')
  const again = paste(flow, copySteps(flow, ['summary-2']))
  expect(Object.keys(again.steps).at(-1)).toBe('summary-3')
})

test('a copied step waits for steps copied with it, by their new ids', () => {
  const work = jobStep({}, { x: { type: 'string' } })
  const waiting = {
    ...work,
    after: [
      { step: 'one', port: 'x' },
      { step: 'two', port: 'x' },
    ],
  }
  const flow = flowOf({}, { one: work, two: work, three: waiting }, [])
  const pasted = paste(flow, copySteps(flow, ['two', 'three']))
  expect(pasted.steps['three-2']?.after).toEqual([{ step: 'two-2', port: 'x' }])
  expect(paste(flow, copySteps(flow, ['three'])).steps['three-2']).not.toHaveProperty('after')
})

test('copies are placed with an offset, or at a given position with the same distances', () => {
  const flow: Flow = { ...SUMMARY_AND_QR, layout: { summary: { x: 10, y: 20 }, qr: { x: 110, y: 0 } } }
  const copied = copySteps(flow, ['summary', 'qr'])
  expect(paste(flow, copied).layout).toMatchObject({
    'summary-2': { x: 50, y: 60 },
    'qr-2': { x: 150, y: 40 },
  })
  expect(paste(flow, copied, { x: 500, y: 500 }).layout).toMatchObject({
    'summary-2': { x: 500, y: 520 },
    'qr-2': { x: 600, y: 500 },
  })
})

test('a copy is a flow that can be written as JSON and read back, and pasted into another flow', () => {
  const read = readFlow(JSON.parse(JSON.stringify(copySteps(SUMMARY_AND_QR, ['summary', 'gone', 'qr']))))
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const empty = flowOf({}, {}, [])
  expect(Object.keys(paste(empty, read.flow).steps)).toEqual(['summary', 'qr'])
})

test('a copy that would exceed the limits of a flow is not pasted, with a reason', () => {
  expect(pasteSteps(LARGE_FLOW, copySteps(LARGE_FLOW, ['link1']))).toEqual({
    ok: false,
    reason: 'A flow has at most 200 steps, this would be 201.',
  })
})

test('in random flows the copy of everything is as valid as the original, which is unchanged', () => {
  checkRandomly(200, random => {
    const flow = randomFlow(random)
    const ids = Object.keys(flow.steps)
    const doubled = paste(flow, copySteps(flow, ids))
    expect(Object.keys(doubled.steps)).toHaveLength(2 * ids.length)
    expect(copySteps(doubled, ids)).toEqual(copySteps(flow, ids))
    const own = (one: { readonly id: string; readonly severity: string }): boolean =>
      one.severity === 'error' && !one.id.startsWith('unfed')
    expect(checkFlow(doubled).findings.filter(own).length).toBe(
      2 * checkFlow(flow).findings.filter(own).length,
    )
  })
})
