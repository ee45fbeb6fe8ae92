import { expect, test } from 'vitest'
import { SUMMARY_AND_QR } from '../test-setup/sample-flows.ts'
import { applyEdit, applyEdits } from './apply-edit.ts'

test('an input that is renamed keeps its position and its wires', () => {
  const flow = applyEdits(SUMMARY_AND_QR, [
    { edit: 'set-input', name: 'second', field: { type: 'string' } },
    { edit: 'rename-input', name: 'article', to: 'text' },
  ])
  expect(Object.keys(flow.inputs)).toEqual(['text', 'second'])
  expect(flow.inputs['text']).toBe(SUMMARY_AND_QR.inputs['article'])
  expect(flow.wires).toContainEqual({
    from: { step: 'input', port: 'text' },
    to: { step: 'summary', port: 'text' },
  })
})

test('an output that is renamed keeps its position and its wire', () => {
  const flow = applyEdit(SUMMARY_AND_QR, { edit: 'rename-output', name: 'summary', to: 'short' })
  expect(flow.outputs).toEqual(['short', 'code'])
  expect(flow.wires).toContainEqual({
    from: { step: 'summary', port: 'summary' },
    to: { step: 'output', port: 'short' },
  })
})

test('a used name is not given twice', () => {
  const flow = applyEdit(SUMMARY_AND_QR, {
    edit: 'set-input',
    name: 'second',
    field: { type: 'string' },
  })
  expect(applyEdit(flow, { edit: 'rename-input', name: 'article', to: 'second' })).toBe(flow)
  expect(applyEdit(flow, { edit: 'rename-output', name: 'summary', to: 'code' })).toBe(flow)
})
