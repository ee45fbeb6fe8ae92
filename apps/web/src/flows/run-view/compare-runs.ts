import type { RunAnswer, RunJob, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import type { JsonValue } from '@farebox/protocol/fields/field'
import { fromAtomic, toAtomic } from '../../format/amount.ts'
import { isChargedForNothing, jobWords } from './job-words.ts'

/** One step in two runs. */
export interface ComparedStep {
  readonly id: string
  /** Undefined when the flow of that run has no such step. */
  readonly one: StepSide | undefined
  readonly other: StepSide | undefined
  /** The outputs that differ; empty when all are equal, or when one of the runs lacks them. */
  readonly differences: readonly Difference[]
  /** Whether both runs have outputs and they are equal. */
  readonly isSame: boolean
}

/** A step in one of the runs. */
export interface StepSide {
  readonly words: string
  /** The total duration of its jobs; null when none has ended. */
  readonly elapsedMs: number | null
  /** Decimal USDC. */
  readonly paid: string
}

/** An output with different values in the two runs. */
export interface Difference {
  readonly port: string
  /** Undefined when the run does not have it. */
  readonly one: JsonValue | undefined
  readonly other: JsonValue | undefined
}

/** Compares two runs step by step; steps that only the other run has come last. */
export function compareRuns(one: RunAnswer, other: RunAnswer): readonly ComparedStep[] {
  const others = new Map(other.steps.map(step => [step.step, step]))
  const own = new Set(one.steps.map(({ step }) => step))
  return [
    ...one.steps.map(step => compareStep(step.step, step, others.get(step.step))),
    ...other.steps.filter(({ step }) => !own.has(step)).map(step => compareStep(step.step, undefined, step)),
  ]
}

function compareStep(
  id: string,
  one: RunStepAnswer | undefined,
  other: RunStepAnswer | undefined,
): ComparedStep {
  const [left, right] = [one?.outputs ?? null, other?.outputs ?? null]
  const differences = left === null || right === null ? [] : findDifferences(left, right)
  return {
    id,
    one: one && sideOf(one),
    other: other && sideOf(other),
    differences,
    isSame: left !== null && right !== null && differences.length === 0,
  }
}

function findDifferences(
  left: { readonly [port: string]: unknown },
  right: { readonly [port: string]: unknown },
): readonly Difference[] {
  const ports = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return ports.flatMap(port => {
    // Outputs are JSON values.
    const one = (Object.hasOwn(left, port) ? left[port] : undefined) as JsonValue | undefined
    const other = (Object.hasOwn(right, port) ? right[port] : undefined) as JsonValue | undefined
    return writeSorted(one) === writeSorted(other) ? [] : [{ port, one, other }]
  })
}

/** Serializes JSON with sorted property names, so that their order makes no difference. */
function writeSorted(value: JsonValue | undefined): string {
  return (
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? ''
  )
}

function sideOf({ state, jobs }: RunStepAnswer): StepSide {
  const timed = jobs.flatMap(({ job }) => job?.elapsed_ms ?? [])
  const paid = jobs.filter(({ payment }) => payment?.state === 'paid')
  return {
    words: wordsOf(state, jobs),
    elapsedMs: timed.length === 0 ? null : timed.reduce((sum, ms) => sum + ms, 0),
    paid: fromAtomic(paid.reduce((sum, { payment }) => sum + (toAtomic(payment?.amount ?? '') ?? 0n), 0n)),
  }
}

function wordsOf(state: RunStepAnswer['state'], jobs: readonly RunJob[]): string {
  const [first] = jobs
  if (jobs.some(isChargedForNothing)) return 'charged, not delivered'
  if (jobs.length === 1 && first !== undefined) return lowerFirst(jobWords(first).words)
  if (jobs.length > 1) return `${jobs.filter(job => job.state === 'done').length} of ${jobs.length} paid`
  return STATES[state]
}

const STATES: { readonly [state in RunStepAnswer['state']]: string } = {
  waiting: 'not reached',
  skipped: 'skipped',
  asking: 'waiting for approval',
  sleeping: 'waiting',
  ordering: 'in progress',
  failed: 'failed',
  done: 'done',
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
