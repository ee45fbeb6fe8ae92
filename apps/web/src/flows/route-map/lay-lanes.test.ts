import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import { cpuRatio } from '@farebox/protocol/src/test-setup/cpu-ratio'
import { expect, test } from 'vitest'
import { layLanes, type RouteMap } from './lay-lanes.ts'

const JOB = {
  kind: 'job',
  agent_id: 1,
  capability: 'work',
  pinned: {
    agent_name: 'Worker',
    hash: 'a'.repeat(64),
    price: '0.002',
    max_deadline_seconds: 5,
    input_schema: { text: { type: 'string' }, more: { type: 'string' } },
    output_schema: { text: { type: 'string' } },
  },
} as const

/** Builds a flow of jobs from its wires: `a > b` joins the text of `a` to `b`. */
function flowOf(wires: readonly string[]): Flow {
  const ends = wires.map(wire => wire.split(' > '))
  const ids = [...new Set(ends.flat())].filter(id => id !== 'input' && id !== 'output')
  const ports = ['text', 'more']
  const taken = new Map<string, number>()
  return {
    flow_version: 1,
    name: 'A flow',
    inputs: { text: { type: 'string' } },
    outputs: wires.filter(wire => wire.endsWith('output')).map((_, index) => `o${index}`),
    steps: Object.fromEntries(ids.map(id => [id, JOB])),
    wires: ends.map(([from = '', to = '']) => {
      const count = taken.get(to) ?? 0
      taken.set(to, count + 1)
      return {
        from: { step: from, port: 'text' },
        to: { step: to, port: to === 'output' ? `o${count}` : (ports[count] ?? 'text') },
      }
    }),
  }
}

const lay = (...wires: string[]): RouteMap => layLanes(buildGraph(flowOf(wires)))
const stops = ({ rows }: RouteMap): readonly string[] => rows.map(({ id, lane }) => `${id} ${lane}`)

test('consecutive steps are in one lane', () => {
  const map = lay('input > a', 'a > b', 'b > output')
  expect(stops(map)).toEqual(['input 0', 'a 0', 'b 0', 'output 0'])
  expect(map.lanes).toBe(1)
})

test('branches of the input have lanes of their own, and join at a step that takes from both', () => {
  const map = lay('input > a', 'input > b', 'input > c', 'a > d', 'b > d', 'd > output', 'c > output')
  expect(stops(map)).toEqual(['input 0', 'a 0', 'b 1', 'c 2', 'd 0', 'output 0'])
  expect(map.lanes).toBe(3)
  const d = map.rows.find(({ id }) => id === 'd')
  expect(d?.pieces.map(({ from, to, lane, part }) => `${from} ${to} ${lane} ${part}`).toSorted()).toEqual([
    'a d 0 ends',
    'b d 1 ends',
    'c output 2 passes',
    'd output 0 begins',
  ])
  const c = map.rows.find(({ id }) => id === 'c')
  expect(c?.pieces.filter(({ bendsNext }) => bendsNext).map(({ from, to }) => `${from} ${to}`)).toEqual([
    'b d',
  ])
})

test('a line is left out if a longer path leads to the same step', () => {
  const map = lay('input > a', 'a > b', 'input > b', 'b > output', 'a > output')
  expect(stops(map)).toEqual(['input 0', 'a 0', 'b 0', 'output 0'])
  expect(map.lanes).toBe(1)
})

test('a lane that has ended is used again', () => {
  const map = lay('input > a', 'input > b', 'a > c', 'b > c', 'c > d', 'c > e', 'd > output', 'e > output')
  expect(stops(map)).toEqual(['input 0', 'a 0', 'b 1', 'c 0', 'd 0', 'e 1', 'output 0'])
  expect(map.lanes).toBe(2)
})

test('a flow without steps is a line from its input to its output', () => {
  expect(stops(lay('input > output'))).toEqual(['input 0', 'output 0'])
})

test('branches beyond the last lane share it', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `s${index}`)
  const map = lay(...ids.flatMap(id => [`input > ${id}`, `${id} > output`]))
  expect(map.lanes).toBe(5)
  expect(map.isShared).toBe(true)
  expect(map.rows).toHaveLength(22)
})

test('every line begins once, ends once, and passes every row in between', () => {
  const ids = Array.from({ length: 60 }, (_, index) => `s${index}`)
  const wires = ids.map((id, index) => `${index === 0 ? 'input' : `s${Math.floor((index - 1) / 2)}`} > ${id}`)
  const { rows } = lay(...wires, 's59 > output')
  const parts = new Map<string, string[]>()
  for (const { pieces } of rows)
    for (const { from, to, part } of pieces)
      parts.set(`${from} ${to}`, [...(parts.get(`${from} ${to}`) ?? []), part])
  for (const [line, seen] of parts) {
    expect([line, seen.at(0), seen.at(-1)]).toEqual([line, 'begins', 'ends'])
    expect(new Set(seen.slice(1, -1)).size).toBeLessThanOrEqual(1)
  }
})

test('the time to lay out a map is proportional to its steps', () => {
  const graphOf = (length: number) => {
    const ids = Array.from({ length }, (_, index) => `s${index}`)
    const wires = ids.flatMap((id, index) => [
      `${index === 0 ? 'input' : `s${index - 1}`} > ${id}`,
      ...(index > 2 ? [`s${index - 3} > ${id}`] : []),
    ])
    return buildGraph(flowOf([...wires, `s${length - 1} > output`]))
  }
  const layTenTimes = (graph: ReturnType<typeof graphOf>) => (): void => {
    for (let time = 0; time < 10; time += 1) layLanes(graph)
  }
  expect(cpuRatio(layTenTimes(graphOf(200)), layTenTimes(graphOf(50)), 10)).toBeLessThan(10)
})
