import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import { expect, test } from 'vitest'
import { bestFitAt, fitsFor } from './fits.ts'

const FLOW: Flow = {
  flow_version: 1,
  name: 'A flow',
  inputs: { text: { type: 'string', required: true } },
  outputs: ['result'],
  steps: {
    words: { kind: 'template', text: 'Hello {text}' },
    fallback: { kind: 'default', value: 'none' },
  },
  wires: [{ from: { step: 'input', port: 'text' }, to: { step: 'fallback', port: 'value' } }],
}

test('a wire drawn from an input can be dropped on a step even if its input of the same name is already fed', () => {
  const graph = buildGraph(FLOW)
  const fits = fitsFor(graph, { step: 'words', port: 'text' }, 'in')
  expect(bestFitAt(graph, 'fallback', 'in', fits)?.port).toEqual({ step: 'fallback', port: 'value' })
})

test('a wire drawn from an output is joined to an input that has no wire', () => {
  const graph = buildGraph(FLOW)
  const fits = fitsFor(graph, { step: 'input', port: 'text' }, 'out')
  expect(bestFitAt(graph, 'words', 'out', fits)?.port).toEqual({ step: 'words', port: 'text' })
  expect(bestFitAt(graph, 'fallback', 'out', fits)).toBeUndefined()
})
