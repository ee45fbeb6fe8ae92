import { startCheckBudget, type CheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import { compileInput, formatViolation, type Violation } from '@farebox/protocol/fields/compile'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sample } from '@farebox/protocol/samples/sample'
import type { JobStep } from '../document/flow.ts'
import { weighJson } from '../document/json-weight.ts'
import type { Graph } from '../graph/graph.ts'
import { passedValue } from './read-source.ts'
import type { Run, StepState } from './run-state.ts'
import { outputOf } from './run-status.ts'
import { done, endJobs, startStep } from './start-step.ts'

/** A run of a flow on sample data, or the reason why there is none. */
export type DryRun =
  | {
      readonly ok: true
      /** The given input with defaults, or a sample. */
      readonly input: JsonObject
      /** In the order in which they can run. */
      readonly steps: readonly DryStep[]
      /** The available outputs of the run. */
      readonly output: JsonObject
    }
  | { readonly ok: false; readonly reason: string }

/** The outcome of one step. */
export interface DryStep {
  readonly step: string
  /** `waiting`: a step that it waits for has failed, or is waiting itself. */
  readonly state: 'done' | 'skipped' | 'failed' | 'waiting'
  /** Why it failed. */
  readonly reason: string | null
  /** By port; for jobs, samples that match their schemas; null: the step is not done. */
  readonly outputs: JsonObject | null
}

/** Characters of all outputs as JSON. */
const MAX_CHARACTERS = 4_194_304

/**
 * Runs a flow on samples: no agent is called and nothing is paid. Agents return samples of their pinned schemas, people
 * approve, and no time passes. Pure; never throws.
 *
 * @param graph the graph of a flow without errors according to `checkFlow`
 * @param input the input of the run; default: a sample of the flow's inputs
 * @example
 * ```ts
 * import type { Flow } from '@farebox/flows/document/flow'
 * import { buildGraph } from '@farebox/flows/graph/graph'
 * import { dryRun } from '@farebox/flows/run/dry-run'
 *
 * export function printSample(flow: Flow): void {
 *   const played = dryRun(buildGraph(flow), { article: 'A long text.' })
 *   if (!played.ok) return console.log(played.reason)
 *   for (const { step, state, reason } of played.steps) console.log(step, state, reason ?? '')
 *   console.log(played.output) // { summary: 'text' }
 * }
 * ```
 */
export function dryRun(graph: Graph, input?: JsonObject): DryRun {
  const budget = startCheckBudget()
  const made = input === undefined ? sampleInput(graph, budget) : checkInput(graph, input, budget)
  if (!made.ok) return { ok: false, reason: formatViolation(made.violation) }
  const steps: { [id: string]: StepState } = {}
  const run: Run = {
    flow: graph.flow,
    input: made.value,
    max_total: '0',
    control: 'running',
    steps,
    payments: {},
  }
  let left = MAX_CHARACTERS
  for (const id of graph.order) {
    const state = playStep(graph, run, id, budget)
    if (state === undefined) continue
    left -= state.state === 'done' ? weighJson(state.outputs, left) : 0
    steps[id] = left >= 0 ? state : { state: 'failed', reason: 'Together, the samples are too large.' }
  }
  const played = [...graph.order, ...graph.circular].map(id => tell(id, steps[id]))
  return { ok: true, input: made.value, steps: played, output: outputOf(graph, run) }
}

type Made =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly violation: Violation }

/** Includes optional inputs if a sample can be made: the run should show how the flow uses them, and nothing is sent. */
function sampleInput({ flow }: Graph, budget: CheckBudget): Made {
  const made = sample(flow.inputs, 'input', budget)
  if (!made.ok) return made
  const others = Object.entries(flow.inputs).flatMap(([name, field]) => {
    if (Object.hasOwn(made.value, name)) return []
    const one = sample({ [name]: { ...field, required: true } }, 'input', budget)
    return one.ok ? Object.entries(one.value) : []
  })
  return { ok: true, value: Object.fromEntries([...Object.entries(made.value), ...others]) }
}

function checkInput({ flow }: Graph, input: JsonObject, budget: CheckBudget): Made {
  return compileInput(flow.inputs, budget)(input)
}

/** The final state of a step; undefined: it waits for a step that has not ended. */
function playStep(graph: Graph, run: Run, id: string, budget: CheckBudget): StepState | undefined {
  const step = graph.flow.steps[id]
  // At that time every wait is over.
  const state = startStep(graph, run, id, { now: Number.POSITIVE_INFINITY, budget })
  if (state?.state === 'asking') return done('approved', passedValue(graph, run, id), ['declined'])
  if (state?.state === 'ordering' && step?.kind === 'job') return playJobs(step, state.jobs.length, budget)
  return state
}

function playJobs(step: JobStep, count: number, budget: CheckBudget): StepState {
  const made = sample(step.pinned.output_schema, 'output', budget)
  if (!made.ok)
    return {
      state: 'failed',
      reason: `No sample output is possible: ${formatViolation(made.violation)}`,
    }
  return endJobs(
    step,
    Array.from({ length: count }, () => made.value),
  )
}

function tell(step: string, state: StepState | undefined): DryStep {
  switch (state?.state) {
    case 'done':
      return { step, state: 'done', reason: null, outputs: state.outputs }
    case 'skipped':
      return { step, state: 'skipped', reason: null, outputs: null }
    case 'failed':
      return { step, state: 'failed', reason: state.reason, outputs: null }
    default:
      return { step, state: 'waiting', reason: null, outputs: null }
  }
}
