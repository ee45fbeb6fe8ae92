import type { RunsAnswer } from '@farebox/platform-api/flows/runs'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import type { KeptRun } from '../../kept/kept-run.ts'
import { cutText } from '../../format/cut-text.ts'
import type { SignedOrder } from '../../kept/order.ts'

/** The outcome of a job. `waiting`: the agent did not answer in time, and the payment can still be used. */
export type JobEntryOutcome = 'running' | 'settling' | 'paid' | 'free' | 'waiting' | 'undelivered'

/** The outcome of a run. `stopped` and `asking`: the run waits for a person. */
export type RunEntryOutcome =
  | 'sending'
  | 'refused'
  | 'running'
  | 'stopped'
  | 'asking'
  | 'waiting'
  | 'paid'
  | 'failed'
  | 'paused'
  | 'cancelled'

/** A job in the list, whatever its source. */
export interface JobEntry {
  readonly kind: 'job'
  readonly jobId: string
  readonly agentId: number
  readonly agentName: string
  readonly capability: string
  readonly amount: string
  /** Unix seconds. */
  readonly orderedAt: number
  readonly elapsedMs: number | null
  readonly outcome: JobEntryOutcome
  /** The token that opens it; undefined when its payer opens it by signing in. */
  readonly token: string | undefined
}

/** A run in the list. */
export interface RunEntry {
  readonly kind: 'run'
  readonly runId: string
  readonly flowId: string | null
  readonly name: string
  /** Decimal USDC. */
  readonly paid: string
  /** Decimal USDC. */
  readonly atMost: string
  /** Unix seconds. */
  readonly orderedAt: number
  readonly elapsedMs: number | null
  readonly outcome: RunEntryOutcome
  /** The number of delivered paid steps, and of all paid steps; undefined when it is not known here. */
  readonly steps: { readonly done: number; readonly all: number } | undefined
  /**
   * The beginning of its input, which distinguishes runs of the same flow; undefined when it is not known or has no text.
   */
  readonly about: string | undefined
}

/** A job or a run in the list. */
export type OrderEntry = JobEntry | RunEntry

/** The orders of the signed-in wallet. */
export interface Mine {
  readonly jobs: PayerJobs['jobs']
  readonly runs: RunsAnswer['runs']
}

/** Merges the orders kept in this browser and those of the wallet, the newest first. Jobs of runs are part of their run. */
export function mergeEntries(
  orders: readonly SignedOrder[],
  runs: readonly KeptRun[],
  mine: Mine,
): readonly OrderEntry[] {
  const kept = new Map<string, OrderEntry>()
  for (const job of mine.jobs) if (job.run_id === null) kept.set(job.job_id, listOwn(job))
  for (const order of orders) kept.set(order.job_id, listOrder(order))
  const own = new Map(mine.runs.map(run => [run.run_id, run]))
  for (const run of mine.runs) kept.set(run.run_id, listOwnRun(run))
  for (const run of runs) {
    const known = own.get(run.run_id)
    const isNewer = known !== undefined && known.changed_at > (run.seen?.changed_at ?? 0)
    const listed = listRun(run)
    kept.set(
      run.run_id,
      isNewer ? { ...listOwnRun(known), steps: listed.steps, about: listed.about } : listed,
    )
  }
  return [...kept.values()].toSorted((one, other) => other.orderedAt - one.orderedAt)
}

function listOwn(job: PayerJobs['jobs'][number]): JobEntry {
  return {
    kind: 'job',
    jobId: job.job_id,
    agentId: job.agent_id,
    agentName: job.agent_name,
    capability: job.capability,
    amount: job.amount,
    orderedAt: job.created_at,
    elapsedMs: job.elapsed_ms,
    outcome: outcomeOf(job.status, job.charged, false),
    token: undefined,
  }
}

function listOrder(order: SignedOrder): JobEntry {
  const { job } = order
  return {
    kind: 'job',
    jobId: order.job_id,
    agentId: order.agent_id,
    agentName: order.agent_name,
    capability: order.capability,
    amount: order.amount,
    orderedAt: order.created_at,
    elapsedMs: job?.elapsed_ms ?? null,
    outcome:
      order.refusal !== undefined
        ? 'free'
        : job === undefined
          ? 'running'
          : outcomeOf(job.status, job.charged, job.charged_without_delivery),
    token: order.job_token,
  }
}

function outcomeOf(
  status: JobAnswer['status'],
  isCharged: JobAnswer['charged'],
  isUndelivered: boolean,
): JobEntryOutcome {
  if (isUndelivered) return 'undelivered'
  if (isCharged === true) return 'paid'
  if (isCharged === false) return 'free'
  if (status === 'sent') return 'running'
  return status === 'pending' ? 'settling' : 'waiting'
}

function listOwnRun(run: RunsAnswer['runs'][number]): RunEntry {
  const isOver = run.status === 'completed' || run.status === 'failed' || run.status === 'cancelled'
  return {
    kind: 'run',
    runId: run.run_id,
    flowId: run.flow_id,
    name: run.name,
    paid: run.paid,
    atMost: run.max_total,
    orderedAt: run.created_at,
    elapsedMs: isOver ? 1_000 * (run.changed_at - run.created_at) : null,
    outcome: run.status === 'completed' ? 'paid' : run.status,
    steps: undefined,
    about: undefined,
  }
}

function listRun(run: KeptRun): RunEntry {
  const { seen } = run
  return {
    kind: 'run',
    runId: run.run_id,
    flowId: run.flow_id ?? null,
    name: run.flow.name,
    paid: seen?.paid ?? '0',
    atMost: run.max_total,
    orderedAt: run.created_at,
    elapsedMs:
      seen === undefined || seen.status === 'running'
        ? null
        : 1_000 * ((seen.ended_at ?? seen.changed_at) - run.created_at),
    outcome: runOutcome(run),
    steps: seen && { done: seen.done, all: seen.steps },
    about: firstWords(run.input),
  }
}

function runOutcome({ is_started: isStarted, refusal, seen }: KeptRun): RunEntryOutcome {
  if (!isStarted) return refusal === undefined ? 'sending' : 'refused'
  if (seen === undefined) return 'running'
  if (seen.needs === 'retry') return 'stopped'
  if (seen.needs !== null) return 'asking'
  return seen.status === 'completed' ? 'paid' : seen.status
}

/** Long enough to distinguish inputs from each other. */
const MOST_ABOUT = 48

function firstWords(input: KeptRun['input']): string | undefined {
  const text = Object.values(input).find(value => typeof value === 'string' && value.trim() !== '')
  if (typeof text !== 'string') return undefined
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length <= MOST_ABOUT ? line : `${cutText(line, MOST_ABOUT - 1)}…`
}
