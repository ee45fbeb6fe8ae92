import type { FieldMap } from '@farebox/protocol/fields/field'
import type { Flow, PortRef, Step, Wire } from '../document/flow.ts'
import { buildGraph } from '../graph/graph.ts'
import { jobStep } from './sample-flows.ts'

/** A generator of numbers from a seed: the same seed gives the same ones. */
export type Random = (below: number) => number

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

const text = { type: 'string' } as const
const TAKES: FieldMap = { a: { ...text, required: true }, b: text }
const GIVES: FieldMap = { x: text, y: { ...text, required: false } }

/** A flow of texts with jobs, lists, adapters, branches, joins, approvals and waits, without circles. */
export function randomFlow(random: Random): Flow {
  const steps: { [id: string]: Step } = {}
  const wires: Wire[] = []
  const count = 1 + random(12)
  for (let index = 0; index < count; index += 1) {
    const id = `s${index}`
    const step = randomStep(random)
    steps[id] = step
    const sources = sourcesIn({ steps, wires }, id)
    const pick = (): PortRef => sources[random(sources.length)] ?? { step: 'input', port: 'text' }
    for (const port of portsToFeed(step, random)) {
      // What is mapped needs a list: only the run's input and splits have one.
      const lists = sources.filter(source => isList(steps, source))
      const from = port.isList
        ? (lists[random(lists.length)] ?? { step: 'input', port: 'list' })
        : pickText(pick, steps)
      wires.push({ from, to: { step: id, port: port.name } })
    }
    if (random(8) === 0 && index > 0)
      steps[id] = { ...step, after: [pick()].filter(({ step }) => step !== 'input') }
  }
  const ends = sourcesIn({ steps, wires }, undefined).filter(({ step }) => step !== 'input')
  const outputs = ends.slice(-3)
  return {
    flow_version: 1,
    name: 'Random',
    inputs: { text: { ...text, required: true }, list: { type: 'array', items: text, required: true } },
    outputs: outputs.map((_, index) => `o${index}`),
    steps,
    wires: [...wires, ...outputs.map((from, index) => ({ from, to: { step: 'output', port: `o${index}` } }))],
  }
}

function randomStep(random: Random): Step {
  switch (random(12)) {
    case 0:
      return { kind: 'template', text: 'T{a}-{b}' }
    case 1:
      return { kind: 'branch', condition: { is: 'containing', value: String(random(10)) } }
    case 2:
      return { kind: 'first', count: 2 }
    case 3:
      return { kind: 'approval', question: 'Go on?' }
    case 4:
      return { kind: 'wait', seconds: 1 + random(100) }
    case 5:
      return { kind: 'default', value: 'nothing' }
    case 6:
      return jobStep(TAKES, GIVES, { price: `0.00${1 + random(9)}`, map: { port: 'a', most: 4 } })
    case 7:
      return { kind: 'split', separator: '-', most: 3 }
    default:
      return jobStep(TAKES, GIVES, { price: `0.00${1 + random(9)}` })
  }
}

function portsToFeed(
  step: Step,
  random: Random,
): readonly { readonly name: string; readonly isList?: boolean }[] {
  switch (step.kind) {
    case 'job':
      return [{ name: 'a', isList: step.map !== undefined }, ...(random(2) === 0 ? [{ name: 'b' }] : [])]
    case 'template':
      return [{ name: 'a' }, { name: 'b' }]
    case 'first':
      return [{ name: '1' }, { name: '2' }]
    case 'split':
      return [{ name: 'text' }]
    default:
      return [{ name: 'value' }]
  }
}

/** Every output there is, those of the step itself aside. */
function sourcesIn(
  { steps, wires }: { readonly steps: { readonly [id: string]: Step }; readonly wires: readonly Wire[] },
  but: string | undefined,
): readonly PortRef[] {
  const graph = buildGraph({ flow_version: 1, name: '', inputs: {}, outputs: [], steps, wires })
  return [
    { step: 'input', port: 'text' },
    { step: 'input', port: 'list' },
    ...Object.keys(steps)
      .filter(id => id !== but)
      .flatMap(id => graph.outputsOf(id).map(({ name }) => ({ step: id, port: name }))),
  ]
}

function isList(steps: { readonly [id: string]: Step }, { step, port }: PortRef): boolean {
  const source = steps[step]
  if (step === 'input') return port === 'list'
  return source?.kind === 'split' || (source?.kind === 'job' && source.map !== undefined)
}

function pickText(pick: () => PortRef, steps: { readonly [id: string]: Step }): PortRef {
  for (let tries = 0; tries < 20; tries += 1) {
    const source = pick()
    if (!isList(steps, source)) return source
  }
  return { step: 'input', port: 'text' }
}
