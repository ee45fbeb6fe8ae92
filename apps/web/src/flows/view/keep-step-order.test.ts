import type { Flow, Step } from '@farebox/flows/document/flow'
import { applyEdits } from '@farebox/flows/edit/apply-edit'
import type { Edit } from '@farebox/flows/internal/edit/edit'
import { buildGraph } from '@farebox/flows/graph/graph'
import { expect, test } from 'vitest'
import { keepStepOrder } from './keep-step-order.ts'

const TEXT: Step = { kind: 'template', text: '{before}' }

/** Two rows of three steps: a1 > a2 > a3 and b1 > b2 > b3. */
const FLOW: Flow = {
  flow_version: 1,
  name: 'Two rows',
  inputs: {},
  outputs: [],
  steps: { a1: TEXT, b1: TEXT, a2: TEXT, b2: TEXT, a3: TEXT, b3: TEXT },
  wires: [join('a1', 'a2'), join('a2', 'a3'), join('b1', 'b2'), join('b2', 'b3')],
}

function join(from: string, to: string) {
  return { from: { step: from, port: 'text' }, to: { step: to, port: 'before' } }
}

const FIRST = buildGraph(FLOW).order

function orderAfter(edits: readonly Edit[], before: readonly string[]): readonly string[] {
  return keepStepOrder(buildGraph(applyEdits(FLOW, edits)), before)
}

test('without a previous order, the order of the graph is used', () => {
  expect(keepStepOrder(buildGraph(FLOW), [])).toEqual(FIRST)
  expect(FIRST).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
})

test('removing a step moves no other step, and neither does restoring it', () => {
  const without = orderAfter([{ edit: 'remove-step', id: 'a2' }], FIRST)
  expect(without).toEqual(['a1', 'b1', 'b2', 'a3', 'b3'])
  const back = orderAfter([], without)
  expect(back.filter(id => id !== 'a2')).toEqual(without)
  expect(back.indexOf('a2')).toBeGreaterThan(back.indexOf('a1'))
  expect(back.indexOf('a2')).toBeLessThan(back.indexOf('a3'))
})

test('a new wire moves only the steps that must wait', () => {
  const joined = orderAfter([{ edit: 'connect', ...join('b2', 'a2') }], FIRST)
  expect(joined).toEqual(['a1', 'b1', 'b2', 'a2', 'a3', 'b3'])
})

test('steps that wait for each other are left out', () => {
  const circle = orderAfter([{ edit: 'connect', ...join('a3', 'a1') }], FIRST)
  expect(circle).toEqual(['b1', 'b2', 'b3'])
})
