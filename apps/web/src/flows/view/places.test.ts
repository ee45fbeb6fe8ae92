import type { Flow, Step } from '@farebox/flows/document/flow'
import { NO_CATALOG } from '@farebox/flows/internal/check/catalog'
import { expect, test } from 'vitest'
import { viewFlow } from './flow-view.ts'
import { findRoom, placeNodes, sizeOfCard } from './places.ts'

/** The canvas of a 1440 × 900 window, at the zoom at which a 12 px text has 11 px. */
const READABLE = { width: 848 / 0.92, height: 739 / 0.92 }

function chain(length: number): Flow {
  const ids = Array.from({ length }, (_, index) => `step_${index}`)
  return {
    flow_version: 1,
    name: 'A chain',
    inputs: { text: { type: 'string', required: true } },
    outputs: ['text'],
    steps: Object.fromEntries(
      ids.map((id): [string, Step] => [id, { kind: 'template', text: 'So far: {text}' }]),
    ),
    wires: [...ids, 'output'].map((id, index) => ({
      from: { step: ids[index - 1] ?? 'input', port: 'text' },
      to: { step: id, port: 'text' },
    })),
  }
}

/** The size of a laid out flow, and the number of its rows. */
function spread(flow: Flow): { readonly width: number; readonly height: number; readonly rows: number } {
  const view = viewFlow(flow, { catalog: NO_CATALOG, balance: undefined })
  const boxes = [...placeNodes(flow, view)].map(([id, { x, y }]) => {
    const node = view.nodes.get(id)
    const isEnd = id === 'input' || id === 'output'
    const { width, height } = sizeOfCard(
      isEnd ? 'end' : 'adapter',
      (node?.inputs.length ?? 0) + (node?.outputs.length ?? 0),
    )
    return { x, y, right: x + width, bottom: y + height }
  })
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))]
  return {
    width: Math.max(...boxes.map(({ right }) => right)) - left,
    height: Math.max(...boxes.map(({ bottom }) => bottom)) - top,
    rows: boxes.filter(({ x }) => x === left).length,
  }
}

test('a flow of two steps is laid out in one row', () => {
  expect(spread(chain(2)).rows).toBe(1)
})

test.each([3, 6, 10])('a flow of %i steps is laid out so that all of it is readable', length => {
  const { width, height } = spread(chain(length))
  expect(width).toBeLessThanOrEqual(READABLE.width)
  expect(height).toBeLessThanOrEqual(READABLE.height)
})

test('a longer flow becomes higher, not wider', () => {
  const { width, rows } = spread(chain(40))
  expect(width).toBeLessThanOrEqual(READABLE.width)
  expect(rows).toBeGreaterThan(10)
})

test('a new step is placed beside the wires, not on them', () => {
  const flow = chain(1)
  const view = viewFlow(flow, { catalog: NO_CATALOG, balance: undefined })
  const size = sizeOfCard('adapter', 2)
  const places = new Map([
    ['input', { x: 0, y: 0 }],
    ['step_0', { x: 800, y: 0 }],
  ])
  const room = findRoom(view, places, size, { x: 300, y: 0 })
  expect(room.x).toBe(300)
  // The wire is horizontal, from the middle of one node to the middle of the other.
  expect(room.y).toBeGreaterThan(sizeOfCard('end', 1).height / 2)
  const beyond = { x: 1_100, y: 0 }
  expect(findRoom(view, places, size, beyond)).toEqual(beyond)
  const below = { x: 300, y: 400 }
  expect(findRoom(view, places, size, below)).toEqual(below)
})
