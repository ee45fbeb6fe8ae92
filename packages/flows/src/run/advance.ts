import { startCheckBudget } from '@farebox/protocol/internal/fields/check-budget'
import { MAX_OUTPUT_CHECK_STEPS } from '@farebox/protocol/limits'
import type { JobStep } from '../document/flow.ts'
import type { Graph } from '../graph/graph.ts'
import { findJobOfRun, setJob } from './jobs-of-run.ts'
import { paymentOf, setPayment } from './payments.ts'
import { passedValue } from './read-source.ts'
import type { RunEffect } from './run-event.ts'
import { roomIn, sizeOfState, TOO_LARGE_STATE, type RunRoom } from './run-size.ts'
import { jobKey, readJobKey, type JobState, type Run, type StepState } from './run-state.ts'
import { done, endJobs, startStep } from './start-step.ts'

/** A run after a change, and the actions that it requests. */
export interface Advanced {
  readonly run: Run
  readonly effects: readonly RunEffect[]
}

/**
 * Advances a run as far as possible without external input: deletes expired unsent payments, starts steps whose inputs are
 * available, ends waits that are over, concludes steps whose jobs are done, and requests quotes for jobs with a payment.
 * Pure.
 *
 * @param graph the graph of the run's flow
 * @param now unix seconds
 * @param isPaid for a new run: payments are available and follow at once
 */
export function advance(graph: Graph, run: Run, now: number, isPaid = false): Advanced {
  const effects: RunEffect[] = []
  const moment = { now, budget: startCheckBudget({ steps: MAX_OUTPUT_CHECK_STEPS }) }
  const current = wipeExpired(graph, run, now, effects)
  const steps: { [id: string]: StepState } = { ...current.steps }
  const moving: Run = { ...current, steps }
  const begin = createFitting(roomIn(current, isPaid))
  const pass = (mayHold: boolean): void => {
    for (const id of graph.order) {
      const step = graph.flow.steps[id]
      if (step === undefined) continue
      const before = Object.hasOwn(steps, id) ? steps[id] : undefined
      // After a cancellation no step starts; jobs in progress end.
      if (run.control === 'cancelled' && before?.state !== 'ordering') continue
      let state =
        before ?? begin.fit(startStep(graph, moving, id, moment), { mayHold, isJob: step.kind === 'job' })
      if (state === undefined) continue
      if (state.state === 'sleeping' && state.until <= now) {
        const ended = done('value', passedValue(graph, moving, id))
        state = begin.fit(ended, { mayHold: false, isJob: false }) ?? state
      }
      if (state.state === 'sleeping' && before === undefined)
        effects.push({ effect: 'wake', at: state.until })
      if (state.state === 'ordering' && step.kind === 'job') {
        const begun = before === undefined ? state.jobs.map(tellExpired(current, step, id, now)) : state.jobs
        const jobs = begun.map((job, index) => nextOfJob(current, step, id, index, job, effects))
        state = concludeJobs(step, jobs)
      }
      steps[id] = state
    }
  }
  pass(true)
  // Steps are held until a job is ordered; if no job can be ordered any more, that never happens.
  if (begin.hasHeld && !Object.values(steps).some(({ state }) => PENDING.has(state))) pass(false)
  return { run: wipeUnneeded(moving, effects), effects }
}

const PENDING: ReadonlySet<StepState['state']> = new Set(['ordering', 'asking', 'sleeping'])

/**
 * Lets steps start within the size limit of the run. A step that must wait until a job was ordered is held and starts later.
 */
function createFitting({ free, whole }: RunRoom): {
  readonly hasHeld: boolean
  fit(
    state: StepState | undefined,
    how: { readonly mayHold: boolean; readonly isJob: boolean },
  ): StepState | undefined
} {
  let taken = 0
  let hasHeld = false
  return {
    get hasHeld() {
      return hasHeld
    },
    fit(state, { mayHold, isJob }) {
      if (state === undefined) return undefined
      const size = sizeOfState(state, whole - taken)
      if (size <= (isJob ? whole : free) - taken) {
        taken += size
        return state
      }
      if (!mayHold || size > whole - taken) return TOO_LARGE_STATE
      hasHeld = true
      return undefined
    },
  }
}

/**
 * Deletes payments that no agent would accept any more. A job that would have been sent with one becomes unpaid again, even
 * while its agent is asked for the price; the quote is then ignored.
 */
function wipeExpired(graph: Graph, run: Run, now: number, effects: RunEffect[]): Run {
  let wiped = run
  for (const key of Object.keys(run.payments)) {
    const payment = paymentOf(run, key)
    if (payment?.state !== 'ready' || payment.valid_before > now) continue
    const job = findJobOfRun(graph, run, key)?.job
    if (job?.state === 'unpaid' || job?.state === 'quoting')
      wiped = setJob(graph, wiped, key, {
        state: 'unpaid',
        input: job.input,
        because: { kind: 'too-late' },
      })
    wiped = setPayment(wiped, key, 'wiped')
    effects.push({ effect: 'wipe', job_id: payment.job_id })
  }
  return wiped
}

/** Sets the reason for a job that starts after its payment expired. */
function tellExpired(
  run: Run,
  step: JobStep,
  id: string,
  now: number,
): (job: JobState, index: number) => JobState {
  return (job, index) => {
    const payment = paymentOf(run, jobKey(id, index, step.map !== undefined))
    const isExpired = payment?.state === 'wiped' && payment.valid_before <= now
    return isExpired && job.state === 'unpaid' ? { ...job, because: { kind: 'too-late' } } : job
  }
}

/** The next action of a job without an external event: if it has a payment, its agent is asked for the price. */
function nextOfJob(
  run: Run,
  step: JobStep,
  id: string,
  index: number,
  job: JobState,
  effects: RunEffect[],
): JobState {
  const key = jobKey(id, index, step.map !== undefined)
  if (job.state !== 'unpaid' || run.control !== 'running' || paymentOf(run, key)?.state !== 'ready')
    return job
  effects.push({ effect: 'quote', key })
  return { state: 'quoting', input: job.input }
}

function concludeJobs(step: JobStep, jobs: readonly JobState[]): StepState {
  const outputs = jobs.flatMap(job => (job.state === 'done' ? [job.output] : []))
  return outputs.length === jobs.length ? endJobs(step, outputs) : { state: 'ordering', jobs }
}

/** Deletes unsent payments of skipped steps, and of items that the list does not have. */
function wipeUnneeded(run: Run, effects: RunEffect[]): Run {
  let wiped = run
  for (const key of Object.keys(run.payments)) {
    const payment = paymentOf(run, key)
    const job = readJobKey(key)
    const state = job !== undefined && Object.hasOwn(run.steps, job.step) ? run.steps[job.step] : undefined
    if (payment?.state !== 'ready' || job === undefined || state === undefined) continue
    const isWanted = state.state === 'ordering' && state.jobs[job.index] !== undefined
    if (isWanted) continue
    wiped = setPayment(wiped, key, 'wiped')
    effects.push({ effect: 'wipe', job_id: payment.job_id })
  }
  return wiped
}
