import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph, type Graph } from '@farebox/flows/graph/graph'
import { applyEvent } from '@farebox/flows/run/apply-event'
import type { Run } from '@farebox/flows/run/run-state'
import { startRun } from '@farebox/flows/run/start-run'
import { isObject } from '@farebox/protocol/internal/guards/json'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { CompiledCache } from './compiled-cache.ts'
import { planRun } from './plan-run.ts'
import { readJson } from './read-json.ts'
import type { GivenEvent, RunAdvanced, RunBegun, RunStart, StoredRun, WrittenRun } from './run-messages.ts'

/** The most characters of a run's changing state as JSON: the outputs of its steps and the record of its payments. */
const MAX_RUN_CHARACTERS = 8 * 1_048_576

/** A cache of graphs by the JSON text of their flows. */
export type Graphs = CompiledCache<Graph>

/** Builds the graph of a flow. The flow was validated when its run was started. */
export function graphOf(flow: unknown): Graph {
  return buildGraph(flow as Flow)
}

/** Starts a run with the payments that came with the request. */
export function beginRun(graphs: Graphs, { flow, input, maxTotal, payments, now }: RunStart): RunBegun {
  const graph = graphs.get(flow)
  const started = startRun(graph, input, { max_total: maxTotal, now, is_paid: payments.length > 0 })
  if (!started.ok) return { ok: false, reason: started.reason }
  let run = started.run
  for (const { key, payment } of payments) {
    const applied = applyEvent(graph, run, { event: 'paid-in', key, payment }, now)
    if (!applied.ok) return applied
    run = applied.run
  }
  const written = write(graph, run, run)
  if (written.state.length > MAX_RUN_CHARACTERS) return { ok: false, reason: TOO_LARGE }
  return { ok: true, input: JSON.stringify(run.input), ...written }
}

const TOO_LARGE = `the run has more than ${MAX_RUN_CHARACTERS / 1_048_576} MiB of values`

/** Applies events to a stored run: all of them, or none when one is refused. */
export function advanceRun(
  graphs: Graphs,
  {
    stored,
    events,
    now,
  }: { readonly stored: StoredRun; readonly events: readonly GivenEvent[]; readonly now: number },
): RunAdvanced {
  const graph = graphs.get(stored.flow)
  const before = readRun(graph, stored)
  let run = before
  for (const given of events) {
    const applied = apply(graph, run, given, now)
    if (!applied.ok) return applied
    // Only payments can grow without limit; the engine limits the values.
    if (given.event === 'paid-in' && sizeOf(applied.run) > MAX_RUN_CHARACTERS)
      return { ok: false, reason: TOO_LARGE }
    run = applied.run
  }
  return { ok: true, ...write(graph, before, run) }
}

/** Reads a run from its stored form. */
export function readRun({ flow }: Graph, { input, maxTotal, state }: StoredRun): Run {
  // Safe: `write` and `beginRun` produced this JSON.
  const changing = JSON.parse(state) as Pick<Run, 'control' | 'steps' | 'payments'>
  return { flow, input: JSON.parse(input) as JsonObject, max_total: maxTotal, ...changing }
}

function apply(graph: Graph, run: Run, given: GivenEvent, now: number): ReturnType<typeof applyEvent> {
  if (given.event !== 'delivered') return applyEvent(graph, run, given, now)
  const { key, job_id } = given
  const output = readOutput(given.body)
  if (output === undefined) return refuseOutput(graph, run, given, 'The answer has no output.', now)
  const applied = applyEvent(graph, run, { event: 'completed', key, job_id, output }, now)
  if (!applied.ok || sizeOf(applied.run) <= MAX_RUN_CHARACTERS) return applied
  const reason = `The output does not fit: ${TOO_LARGE}. It is kept with its job.`
  return refuseOutput(graph, run, given, reason, now)
}

/** Fails the step and records the charge, because an unusable delivery is charged too. */
function refuseOutput(
  graph: Graph,
  run: Run,
  { key, job_id, attempt }: Extract<GivenEvent, { readonly event: 'delivered' }>,
  error: string,
  now: number,
): ReturnType<typeof applyEvent> {
  const failure = { event: 'failed', key, job_id, attempt, error_type: 'output', error } as const
  const failed = applyEvent(graph, run, failure, now)
  return failed.ok ? applyEvent(graph, failed.run, { event: 'charged', key, job_id }, now) : failed
}

function readOutput(body: string): JsonObject | undefined {
  const read = readJson(body)
  const answer: unknown = read.ok ? read.value : undefined
  const output = isObject(answer) ? answer['output'] : undefined
  // Safe: the value was parsed from JSON.
  return isObject(output) ? (output as JsonObject) : undefined
}

function write(graph: Graph, before: Run, run: Run): WrittenRun {
  return {
    state: stateOf(run),
    maxTotal: run.max_total,
    plan: planRun(graph, run),
    inputs: findInputs(graph, before, run),
  }
}

function stateOf({ control, steps, payments }: Run): string {
  return JSON.stringify({ control, steps, payments })
}

function sizeOf(run: Run): number {
  return stateOf(run).length
}

/** The inputs of newly sent jobs. They are stored with their payments, and sent and shown from there. */
function findInputs(graph: Graph, before: Run, run: Run): WrittenRun['inputs'] {
  const known = new Set(planRun(graph, before).sent.map(({ jobId }) => jobId))
  return planRun(graph, run)
    .sent.filter(({ jobId }) => !known.has(jobId))
    .flatMap(({ key, jobId }) => {
      const input = inputOf(run, key)
      return input === undefined ? [] : [{ jobId, input: JSON.stringify(input) }]
    })
}

function inputOf(run: Run, key: string): JsonObject | undefined {
  const [step = '', index = '0'] = key.split('#')
  const state = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
  const job = state?.state === 'ordering' ? state.jobs[Number(index)] : undefined
  return job !== undefined && 'input' in job ? job.input : undefined
}
