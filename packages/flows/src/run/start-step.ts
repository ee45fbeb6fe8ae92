import type { CheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import { compileInput, formatViolation } from '@farebox/protocol/fields/compile'
import type { JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { meetsCondition } from '../adapters/meets-condition.ts'
import { runAdapter } from '../adapters/run-adapter.ts'
import type { JobStep, PortRef, Step, WaitStep } from '../document/flow.ts'
import { MAX_WAIT_SECONDS } from '../document/flow-limits.ts'
import type { Graph } from '../graph/graph.ts'
import { readSource } from './read-source.ts'
import type { JobState, Run, StepState } from './run-state.ts'

/** The values of one pass over a run. */
export interface Moment {
  /** Unix seconds. */
  readonly now: number
  /** A shared budget for the checks of all inputs: an external list may have a hundred that take long. */
  readonly budget: CheckBudget
}

/**
 * The first state of a step; undefined: it still waits. Free steps are done at once. A job starts as `unpaid`, even if its
 * payment is already available.
 */
export function startStep(graph: Graph, run: Run, id: string, moment: Moment): StepState | undefined {
  const step = graph.flow.steps[id]
  if (step === undefined) return undefined
  const after = (step.after ?? []).map(source => readSource(run, source).is)
  if (after.includes('out')) return { state: 'skipped' }
  if (after.includes('open')) return undefined
  if (step.kind === 'first') return startFirst(graph, run, id, step.count)
  const came = collect(graph, run, id, step)
  return came === 'open' ? undefined : came === 'out' ? { state: 'skipped' } : startWith(step, came, moment)
}

/** The first input with a value, in order: earlier inputs are awaited, so that each run passes on the same one. */
function startFirst(graph: Graph, run: Run, id: string, count: number): StepState | undefined {
  for (let port = 1; port <= count; port += 1) {
    const source = sourceOf(graph, id, String(port))
    const found = source === undefined ? undefined : readSource(run, source)
    if (found?.is === 'open') return undefined
    const constants = graph.flow.steps[id]?.constants ?? {}
    const value =
      found?.is === 'there' ? found.value : source === undefined ? own(constants, String(port)) : undefined
    if (value !== undefined) return { state: 'done', outputs: { value }, closed: [] }
  }
  return { state: 'skipped' }
}

type Values = ReadonlyMap<string, JsonValue>

function collect(graph: Graph, run: Run, id: string, step: Step): Values | 'open' | 'out' {
  const values = new Map<string, JsonValue>(Object.entries(step.constants ?? {}))
  let isOpen = false
  for (const { name } of graph.inputsOf(id)) {
    const source = sourceOf(graph, id, name)
    if (source === undefined) continue
    values.delete(name)
    const found = readSource(run, source)
    if (found.is === 'out' && step.kind !== 'default') return 'out'
    if (found.is === 'open') isOpen = true
    if (found.is === 'there') values.set(name, found.value)
  }
  return isOpen ? 'open' : values
}

function sourceOf(graph: Graph, step: string, port: string): PortRef | undefined {
  return graph.wireTo({ step, port })?.from
}

function startWith(step: Step, came: Values, { now, budget }: Moment): StepState {
  switch (step.kind) {
    case 'job':
      return startJobs(step, came, budget)
    case 'branch': {
      const value = came.get('value')
      const [way, other] = meetsCondition(step.condition, value) ? ['then', 'else'] : ['else', 'then']
      return done(way, value, [other])
    }
    case 'approval':
      return { state: 'asking' }
    case 'wait':
      return startWait(step, came, now)
    default: {
      const made = runAdapter(step, came, budget)
      if (made.ok === 'skipped') return { state: 'skipped' }
      return made.ok ? done(OUTPUTS[step.kind], made.value) : failed(made.reason)
    }
  }
}

/** The single output of each adapter. */
const OUTPUTS = {
  rename: 'object',
  pick: 'value',
  template: 'text',
  'to-number': 'number',
  join: 'text',
  split: 'list',
  constant: 'value',
  default: 'value',
  first: 'value',
} as const

/** The state of a step that ended with one value, or with none. */
export function done(port: string, value: JsonValue | undefined, closed: readonly string[] = []): StepState {
  return { state: 'done', outputs: value === undefined ? {} : { [port]: value }, closed }
}

function startWait(step: WaitStep, came: Values, now: number): StepState {
  const value = came.get('value')
  const until = step.seconds === undefined ? readTime(came.get('until')) : now + step.seconds
  if (until === undefined) return failed('until: must be a time such as "2026-01-31T12:00:00Z"')
  if (until <= now) return done('value', value)
  if (until > now + MAX_WAIT_SECONDS)
    return failed(`until: is more than ${MAX_WAIT_SECONDS / 86_400} days away`)
  return { state: 'sleeping', until }
}

function readTime(value: JsonValue | undefined): number | undefined {
  const milliseconds = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.ceil(milliseconds / 1_000)
}

/** An input that is refused here is not sent, and nothing is charged for it. */
function startJobs(step: JobStep, came: Values, budget: CheckBudget): StepState {
  const inputs = step.map === undefined ? [Object.fromEntries(came)] : itemsOf(step.map, came)
  if (typeof inputs === 'string') return failed(inputs)
  const check = compileInput(step.pinned.input_schema, budget)
  const jobs: JobState[] = []
  for (const [index, input] of inputs.entries()) {
    const checked = check(input)
    if (!checked.ok) {
      const item = step.map === undefined ? '' : `item ${index + 1}: `
      return failed(`${item}${formatViolation(checked.violation)}`)
    }
    jobs.push({ state: 'unpaid', input: checked.value, because: { kind: 'none' } })
  }
  return jobs.length === 0 ? endJobs(step, []) : { state: 'ordering', jobs }
}

function itemsOf(
  map: { readonly port: string; readonly most: number },
  came: Values,
): readonly JsonObject[] | string {
  const list = came.get(map.port)
  if (!Array.isArray(list)) return `${map.port}: must be a list, one job is ordered for each item`
  if (list.length > map.most)
    return `${map.port}: has ${list.length} items, at most ${map.most} are allowed here`
  return list.map(item => ({ ...Object.fromEntries(came), [map.port]: item }))
}

/** Ends a job step whose jobs are all done: with its outputs, or for a list of items with a list for each output. */
export function endJobs(step: JobStep, outputs: readonly JsonObject[]): StepState {
  if (step.map === undefined) return { state: 'done', outputs: outputs[0] ?? {}, closed: [] }
  const lists = Object.keys(step.pinned.output_schema).map(port => {
    const items = outputs.flatMap(output => {
      const value = own(output, port)
      return value === undefined ? [] : [value]
    })
    return [port, items] as const
  })
  return { state: 'done', outputs: Object.fromEntries(lists), closed: [] }
}

function own(values: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

function failed(reason: string): StepState {
  return { state: 'failed', reason }
}
