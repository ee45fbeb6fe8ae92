import fc from 'fast-check'
import type { FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import type { Flow, PortRef, Step, Wire } from '../document/flow.ts'
import type { PortType } from '../graph/field-of.ts'
import { buildGraph } from '../graph/graph.ts'
import { jobStep } from './sample-flows.ts'

/** Draws an integer from 0 up to, but not including, the given number. */
export type Random = (below: number) => number

/**
 * Runs a check with many sequences of random numbers, the same ones each time. FLOW_SEED sets others, and with FLOW_SHRINK
 * it searches, for minutes, for the shortest and smallest numbers that still make a check fail.
 */
export function checkRandomly(runs: number, check: (random: Random) => void): void {
  const seed = Number(process.env['FLOW_SEED'] ?? 1)
  const property = fc.property(fc.gen(), draw => check(below => (below <= 1 ? 0 : draw(numberBelow, below))))
  fc.assert(property, { numRuns: runs, seed, endOnFailure: process.env['FLOW_SHRINK'] === undefined })
}

/** Random numbers from a seed (Mulberry32), for tests in real time that cannot be repeated many times. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

function numberBelow(below: number): fc.Arbitrary<number> {
  return fc.nat({ max: below - 1 })
}

const text = { type: 'string' } as const
const TAKES: FieldMap = { a: { ...text, required: true }, b: text }
const GIVES: FieldMap = { x: text, y: { ...text, required: false } }

/** The type that an input needs. */
type Need = 'text' | 'list' | 'object' | 'anything'

/** A step before it has wires. */
interface Draft {
  readonly step: Step
  readonly needs: { readonly [port: string]: Need }
}

/**
 * A flow of texts with jobs, lists, every kind of free step, branches that join again, approvals and waits, without cycles:
 * each step uses outputs of earlier ones.
 */
export function randomFlow(random: Random): Flow {
  const steps: { [id: string]: Step } = {}
  const wires: Wire[] = []
  const add = (draft: Draft, from: { readonly [port: string]: PortRef } = {}): string => {
    const id = `s${Object.keys(steps).length}`
    const sources = sourcesIn(steps, wires)
    const constants: JsonObject = {}
    for (const [port, need] of Object.entries(draft.needs)) {
      const fitting = sources.filter(({ type }) => suits(type, need))
      const chosen = from[port] ?? fitting[random(fitting.length)]?.source
      if (chosen === undefined) constants[port] = CONSTANTS[need]
      else wires.push({ from: chosen, to: { step: id, port } })
    }
    const isAfter = random(10) === 0 && sources.length > INPUTS.length
    const after = sources[INPUTS.length + random(sources.length - INPUTS.length)]
    steps[id] = {
      ...draft.step,
      ...(Object.keys(constants).length > 0 && { constants: { ...draft.step.constants, ...constants } }),
      ...(isAfter && after !== undefined && { after: [after.source] }),
    }
    return id
  }
  const count = 1 + random(10)
  for (let made = 0; made < count; made += 1) {
    if (random(8) === 0) addDiamond(random, add)
    else add(randomStep(random))
  }
  const ends = sourcesIn(steps, wires).slice(INPUTS.length).slice(-3)
  return {
    flow_version: 1,
    name: 'Random',
    inputs: { text: { ...text, required: true }, list: { type: 'array', items: text, required: true } },
    outputs: ends.map((_, index) => `o${index}`),
    steps,
    wires: [
      ...wires,
      ...ends.map(({ source }, index) => ({ from: source, to: { step: 'output', port: `o${index}` } })),
    ],
  }
}

/** Adds a branch with a step on each way, and a step that joins them. */
function addDiamond(
  random: Random,
  add: (draft: Draft, from?: { readonly [port: string]: PortRef }) => string,
): void {
  const isAsked = random(2) === 0
  const fork = add(isAsked ? approval() : branch(random))
  const [one, other] = isAsked ? (['approved', 'declined'] as const) : (['then', 'else'] as const)
  const left = add(job(random), { a: { step: fork, port: one } })
  const isPaid = random(2) === 0
  const right = add(isPaid ? job(random) : template(), { a: { step: fork, port: other } })
  add(first(), {
    '1': { step: left, port: random(2) === 0 ? 'x' : 'y' },
    '2': { step: right, port: isPaid ? 'x' : 'text' },
  })
}

function randomStep(random: Random): Draft {
  switch (random(20)) {
    case 0:
      return template()
    case 1:
      return branch(random)
    case 2:
      return first()
    case 3:
      return approval()
    case 4:
      return { step: { kind: 'wait', seconds: 1 + random(100) }, needs: { value: 'anything' } }
    case 5:
      return {
        step: { kind: 'wait', constants: { until: `1970-01-12T14:0${random(10)}:00Z` } },
        needs: { value: 'anything' },
      }
    case 6:
      return { step: { kind: 'default', value: 'nothing' }, needs: { value: 'text' } }
    case 7:
    case 8:
      return {
        step: jobStep(TAKES, GIVES, { price: priceFrom(random), map: { port: 'a', most: 4 } }),
        needs: { a: 'list' },
      }
    case 9:
      return { step: { kind: 'split', separator: '-', most: 3 }, needs: { text: 'text' } }
    case 10:
      return { step: { kind: 'join', separator: '-' }, needs: { list: 'list' } }
    case 11:
      return { step: { kind: 'constant', value: { p: 'v', q: random(10) } }, needs: {} }
    case 12:
      return { step: { kind: 'rename', names: { q: 'r' } }, needs: { object: 'object' } }
    case 13:
      return { step: { kind: 'pick', path: ['p'] }, needs: { value: 'object' } }
    case 14:
      return { step: { kind: 'to-number', constants: { text: `${random(100)}` } }, needs: {} }
    default:
      return job(random)
  }
}

function job(random: Random): Draft {
  const step = jobStep(TAKES, GIVES, { price: priceFrom(random) })
  return { step, needs: random(2) === 0 ? { a: 'text', b: 'text' } : { a: 'text' } }
}

function priceFrom(random: Random): string {
  return `0.00${1 + random(9)}`
}

function template(): Draft {
  return { step: { kind: 'template', text: 'T{a}-{b}' }, needs: { a: 'text', b: 'text' } }
}

function branch(random: Random): Draft {
  const value = String(random(10))
  return { step: { kind: 'branch', condition: { is: 'containing', value } }, needs: { value: 'text' } }
}

function first(): Draft {
  return { step: { kind: 'first', count: 2 }, needs: { '1': 'text', '2': 'text' } }
}

function approval(): Draft {
  return { step: { kind: 'approval', question: 'Go on?' }, needs: { value: 'text' } }
}

const CONSTANTS: { readonly [need in Need]: JsonValue } = {
  text: 'c',
  list: ['c'],
  object: { p: 'c' },
  anything: 'c',
}

function suits(type: PortType, need: Need): boolean {
  const kind = type === 'any' ? 'string' : type.type
  if (need === 'anything') return true
  if (need === 'list') return kind === 'array'
  return need === 'object' ? kind === 'object' : kind !== 'array' && kind !== 'object'
}

interface Source {
  readonly source: PortRef
  readonly type: PortType
}

const INPUTS: readonly Source[] = [
  { source: { step: 'input', port: 'text' }, type: text },
  { source: { step: 'input', port: 'list' }, type: { type: 'array', items: text } },
]

/** Every available output, those of the flow's input first. */
function sourcesIn(steps: { readonly [id: string]: Step }, wires: readonly Wire[]): readonly Source[] {
  const inputs = { text, list: { type: 'array', items: text } } as const
  const graph = buildGraph({ flow_version: 1, name: '', inputs, outputs: [], steps, wires })
  return [
    ...INPUTS,
    ...Object.keys(steps).flatMap(step =>
      graph.outputsOf(step).map(({ name, type }) => ({ source: { step, port: name }, type })),
    ),
  ]
}
