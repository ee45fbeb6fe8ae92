import type { Flow, Step } from '@farebox/flows/document/flow'
import { applyEdits } from '@farebox/flows/edit/apply-edit'
import { NO_CATALOG } from '@farebox/flows/internal/check/catalog'
import { expect, test } from 'vitest'
import { viewFlow } from './flow-view.ts'

const SURROUNDINGS = { catalog: NO_CATALOG, balance: undefined }

/** Builds a chain of text steps. The last step takes two values, one of which is missing. */
function chain(length: number): Flow {
  const steps: [string, Step][] = Array.from({ length }, (_, index) => [
    `line_${index}`,
    { kind: 'template', text: index === length - 1 ? '{before}{missing}' : 'So far: {before}' },
  ])
  return {
    flow_version: 1,
    name: 'A chain',
    inputs: { text: { type: 'string', required: true } },
    outputs: [],
    steps: Object.fromEntries(steps),
    wires: steps.map(([id], index) => ({
      from: index === 0 ? { step: 'input', port: 'text' } : { step: `line_${index - 1}`, port: 'text' },
      to: { step: id, port: 'before' },
    })),
  }
}

test('a view after an edit reuses the node, wire and finding objects that have not changed', () => {
  const flow = chain(5)
  const before = viewFlow(flow, SURROUNDINGS)
  const step: Step = { kind: 'template', text: 'Until now: {before}' }
  const changed = applyEdits(flow, [{ edit: 'replace-step', id: 'line_2', step }])
  const after = viewFlow(changed, SURROUNDINGS, before)
  expect(before.check.findings.length).toBeGreaterThan(0)
  expect(after.order).toBe(before.order)
  expect(after.wires).toBe(before.wires)
  expect(after.check.findings).toBe(before.check.findings)
  expect(after.order.filter(id => after.nodes.get(id) !== before.nodes.get(id))).toEqual(['line_2'])
})

test('the findings at a step are the identical list as long as they do not change', () => {
  const flow = chain(3)
  const before = viewFlow(flow, SURROUNDINGS)
  expect(before.findings.get('line_2')?.map(({ port }) => port)).toContain('missing')
  const step: Step = { kind: 'template', text: '{before}{more}' }
  const broken = applyEdits(flow, [{ edit: 'replace-step', id: 'line_1', step }])
  const after = viewFlow(broken, SURROUNDINGS, before)
  expect(after.findings.get('line_2')).toBe(before.findings.get('line_2'))
  expect(after.findings.get('line_1')).not.toBe(before.findings.get('line_1'))
})
