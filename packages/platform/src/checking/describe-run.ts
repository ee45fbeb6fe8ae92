import type { Graph } from '@farebox/flows/graph/graph'
import { sumPayments } from '@farebox/flows/run/payments'
import { passedValue } from '@farebox/flows/internal/run/read-source'
import type { JobState, Payment, Run, StepState } from '@farebox/flows/run/run-state'
import { statusOf, type RunStatus } from '@farebox/flows/run/run-status'
import { jobKeysOf } from '@farebox/flows/internal/document/job-key'
import type { JsonObject, JsonValue } from '@farebox/protocol/fields/field'

/** A run for display, as far as its own state is sufficient. */
export interface DescribedRun extends RunStatus {
  readonly paid: string
  readonly exposed: string
  readonly ready: string
  /** Unix seconds when the last chargeable payment expires; null when no payment can be charged. */
  readonly exposedUntil: number | null
  readonly steps: readonly DescribedStep[]
}

/** One step of a run for display. */
export interface DescribedStep {
  readonly step: string
  readonly state: StepState['state'] | 'waiting'
  readonly reason: string | null
  readonly until: number | null
  /** For a pending approval: the value to be approved. */
  readonly value?: JsonValue
  readonly outputs: JsonObject | null
  readonly jobs: readonly DescribedJob[]
}

/** One job of a run for display. */
export interface DescribedJob {
  readonly key: string
  readonly job: JobState | { readonly state: 'done' }
  readonly payment: Payment | null
}

/** Describes a run for viewers who are allowed to see it. */
export function describeRun(graph: Graph, run: Run): DescribedRun {
  const exposed = Object.values(run.payments)
    .flat()
    .filter(({ state }) => state === 'sent')
  return {
    ...statusOf(graph, run),
    ...sumPayments(run),
    exposedUntil: exposed.length === 0 ? null : Math.max(...exposed.map(one => one.valid_before)),
    steps: graph.order.map(id => describeStep(graph, run, id)),
  }
}

function describeStep(graph: Graph, run: Run, id: string): DescribedStep {
  const state = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined
  const value = state?.state === 'asking' ? passedValue(graph, run, id) : undefined
  return {
    step: id,
    state: state?.state ?? 'waiting',
    reason: state?.state === 'failed' ? state.reason : null,
    until: state?.state === 'sleeping' ? state.until : null,
    ...(value !== undefined && { value }),
    outputs: state?.state === 'done' ? state.outputs : null,
    jobs: jobsOf(graph, run, id, state),
  }
}

function jobsOf(graph: Graph, run: Run, id: string, state: StepState | undefined): readonly DescribedJob[] {
  const step = graph.flow.steps[id]
  if (step?.kind !== 'job') return []
  return jobKeysOf(id, step).flatMap((key, index): DescribedJob[] => {
    const payment = (Object.hasOwn(run.payments, key) ? run.payments[key]?.at(-1) : undefined) ?? null
    const job = state?.state === 'ordering' ? state.jobs[index] : undefined
    if (job !== undefined) return [{ key, job, payment }]
    if (state?.state === 'done' && payment?.state === 'paid')
      return [{ key, job: { state: 'done' }, payment }]
    // Its payment is signed but its step has not begun: it is shown as waiting.
    return payment === null
      ? []
      : [{ key, job: { state: 'unpaid', input: {}, because: { kind: 'none' } }, payment }]
  })
}
