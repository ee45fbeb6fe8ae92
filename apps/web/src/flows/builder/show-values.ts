import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import type { DryRun } from '@farebox/flows/run/dry-run'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { ShownStep, ShownValues } from '../document/shown-values.ts'

/** Converts the result of a dry run to the values shown at the ports. */
export function valuesOfDryRun({
  input,
  steps,
  output,
}: Extract<DryRun, { readonly ok: true }>): ShownValues {
  const shown = new Map<string, ShownStep>()
  shown.set('input', { state: 'done', reason: undefined, inputs: undefined, outputs: input })
  for (const { step, state, reason, outputs } of steps)
    shown.set(step, {
      state,
      reason: reason ?? undefined,
      inputs: undefined,
      outputs: outputs ?? undefined,
    })
  shown.set('output', { state: 'done', reason: undefined, inputs: output, outputs: undefined })
  return {
    title: 'These are sample values. No agents were called, and you were not charged.',
    kind: 'dry-run',
    url: undefined,
    steps: shown,
  }
}

const STATES = {
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  waiting: 'waiting',
  asking: 'waiting',
  sleeping: 'waiting',
  ordering: 'waiting',
} as const

/** Converts a run to the values shown at the ports. */
export function valuesOfRun(run: RunAnswer, flowId: string): ShownValues {
  const shown = new Map<string, ShownStep>()
  shown.set('input', {
    state: 'done',
    reason: undefined,
    inputs: undefined,
    outputs: run.input as JsonObject,
  })
  for (const { step, state, outputs, reason, jobs } of run.steps) {
    const [job] = jobs
    shown.set(step, {
      state: STATES[state],
      reason: reason ?? undefined,
      inputs: (job?.input ?? undefined) as JsonObject | undefined,
      outputs: (outputs ?? undefined) as JsonObject | undefined,
    })
  }
  shown.set('output', {
    state: 'done',
    reason: undefined,
    inputs: run.output as JsonObject,
    outputs: undefined,
  })
  return {
    title: 'These are values from a run.',
    kind: 'run',
    url: `/flows/${flowId}/runs/${run.run_id}`,
    steps: shown,
  }
}
