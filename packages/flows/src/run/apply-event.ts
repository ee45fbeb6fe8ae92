import type { JsonObject } from '@farebox/protocol/fields/field'
import { readUsdc } from '@farebox/protocol/money/usdc'
import type { Graph } from '../graph/graph.ts'
import { advance, type Advanced } from './advance.ts'
import { secondsNeeded } from './seconds-needed.ts'
import { paymentOf, paymentsOf, setPayment, staysWithin } from './payments.ts'
import { passedValue } from './read-source.ts'
import type { RunEffect, RunEvent } from './run-event.ts'
import { findJobOfRun, setJob } from './jobs-of-run.ts'
import { roomIn, sizeOfState, TOO_LARGE_STATE } from './run-size.ts'
import type { JobState, Payment, Run, UnpaidReason } from './run-state.ts'
import { done } from './start-step.ts'

/** A run after an event, or the reason why the event was refused and the run is unchanged. */
export type Applied = ({ readonly ok: true } & Advanced) | { readonly ok: false; readonly reason: string }

/**
 * Applies an event to a run, and returns its next actions. Pure. An event that arrives twice, or too late, changes
 * nothing; an impossible event is refused with the reason.
 *
 * For every order of events:
 * - a job has one payment that may be charged, and a second one only after the chain has shown that the first was used
 *   or never can be;
 * - the paid amount, the amount that may still be charged, and the amount ready to be sent never exceed `max_total`
 *   together;
 * - no job is ordered while its step waits for a step that has not ended.
 *
 * @param graph the graph of the run's flow
 * @param now unix seconds
 * @example
 * ```ts
 * import type { Graph } from '@farebox/flows/graph/graph'
 * import { applyEvent } from '@farebox/flows/run/apply-event'
 * import type { Run } from '@farebox/flows/run/run-state'
 *
 * export function approve(graph: Graph, run: Run, step: string, now: number): Run {
 *   const applied = applyEvent(graph, run, { event: 'answered', step, approved: true }, now)
 *   if (!applied.ok) throw new Error(applied.reason)
 *   for (const effect of applied.effects) console.log(effect) // { effect: 'quote', key: 'summary' }
 *   return applied.run
 * }
 * ```
 */
export function applyEvent(graph: Graph, run: Run, event: RunEvent, now: number): Applied {
  switch (event.event) {
    case 'paid-in':
      return payIn(graph, run, event.key, { ...event.payment, state: 'ready' }, now)
    case 'quoted':
      return quoted(graph, run, event, now)
    case 'completed':
      return completed(graph, run, event, now)
    case 'failed':
      return failed(graph, run, event, now)
    case 'unsent':
      return unsent(graph, run, event, now)
    case 'charged':
      return settle(graph, run, event, 'paid', now)
    case 'dead':
      return settle(graph, run, event, 'dead', now)
    case 'retried':
      return retried(graph, run, event.key, now)
    case 'answered':
      return answered(graph, run, event, now)
    case 'raised':
      return raised(graph, run, event.max_total, now)
    case 'paused':
      return control(graph, run, 'paused', now)
    case 'resumed':
      return control(graph, run, 'running', now)
    case 'cancelled':
      return control(graph, run, 'cancelled', now)
    case 'woken':
      return go(graph, run, now)
  }
}

function payIn(graph: Graph, run: Run, key: string, payment: Payment, now: number): Applied {
  const place = findJobOfRun(graph, run, key)
  if (place === undefined) return refuse(`${key}: is no job of this flow`)
  if (run.control === 'cancelled') return refuse(`${key}: the run is cancelled`)
  const { step, state, job } = place
  if (!readUsdc(payment.amount).ok) return refuse(`${key}: the amount is no decimal USDC`)
  const known = paymentOf(run, key)
  const isKnown = Object.values(run.payments).some(list => list.some(one => one.job_id === payment.job_id))
  // Checked before a payment is deleted: the signature of another job of the run must not be deleted.
  if (isKnown && known?.job_id !== payment.job_id)
    return refuse(`${key}: the payment is bound to a job that this run has already`)
  // All payments were signed at the start, but the run skipped this step: its payment is deleted, the others are accepted.
  const isLeftOut = state?.state === 'skipped' || (state?.state === 'ordering' && job === undefined)
  if (isLeftOut) return go(graph, run, now, [{ effect: 'wipe', job_id: payment.job_id }])
  // Sent again after a lost response: the payment has already paid for its job.
  if (isKnown && known?.state === 'paid') return go(graph, run, now)
  if (state !== undefined && state.state !== 'ordering') return refuse(`${key}: ${SETTLED[state.state]}`)
  if (job?.state === 'done') return refuse(`${key}: is paid and done`)
  if (isKnown && known?.state === 'wiped') return refuse(`${key}: this payment was deleted: sign a new one`)
  if (isKnown) return go(graph, run, now)
  if (known?.state === 'sent')
    return refuse(
      `${key}: its payment may still be charged; a second one can be taken when the chain shows it cannot`,
    )
  if (job?.state === 'quoting') return refuse(`${key}: is about to be sent with the payment it has`)
  if (payment.valid_before < now + secondsNeeded(step))
    return refuse(`${key}: the payment ends before the agent could be done`)
  if (!staysWithin(run, key, payment.amount))
    return refuse(`${key}: with this payment the run could cost more than ${run.max_total} USDC`)
  const before = paymentsOf(run, key)
  const effects: RunEffect[] = []
  let list = before
  if (known?.state === 'ready') {
    effects.push({ effect: 'wipe', job_id: known.job_id })
    list = [...before.slice(0, -1), { ...known, state: 'wiped' }]
  }
  const paid: Run = { ...run, payments: { ...run.payments, [key]: [...list, payment] } }
  return go(
    graph,
    job?.state === 'failed' ? reopen(graph, paid, key, job, { kind: 'none' }) : paid,
    now,
    effects,
  )
}

const SETTLED = {
  done: 'is done',
  failed: 'has failed before anything was sent',
  asking: 'is no job',
  sleeping: 'is no job',
} as const

function quoted(
  graph: Graph,
  run: Run,
  { key, quote, reason }: Extract<RunEvent, { event: 'quoted' }>,
  now: number,
): Applied {
  const place = findJobOfRun(graph, run, key)
  const payment = paymentOf(run, key)
  if (place?.job?.state !== 'quoting' || payment?.state !== 'ready') return go(graph, run, now)
  const { input } = place.job
  if (run.control !== 'running') return go(graph, reopen(graph, run, key, place.job, { kind: 'none' }), now)
  if (quote === undefined)
    return go(
      graph,
      setJob(graph, run, key, {
        state: 'failed',
        input,
        attempt: 0,
        error_type: 'unreachable',
        error: reason ?? 'The platform could not get the agent’s price. Nothing was sent.',
      }),
      now,
    )
  const isSame = isSameAmount(quote.price, payment.amount) && quote.pay_to === payment.pay_to
  const isInTime = payment.valid_before >= now + secondsNeeded(place.step)
  if (!isSame || !isInTime) {
    const because = isSame ? ({ kind: 'too-late' } as const) : ({ kind: 'changed', ...quote } as const)
    const wiped = setPayment(reopen(graph, run, key, place.job, because), key, 'wiped')
    return go(graph, wiped, now, [{ effect: 'wipe', job_id: payment.job_id }])
  }
  const sent = setPayment(setJob(graph, run, key, { state: 'sent', input, attempt: 1 }), key, 'sent')
  return go(graph, sent, now, [{ effect: 'send', key, job_id: payment.job_id, attempt: 1, input }])
}

/** An output with its charge ends a job, whatever its state was before. */
function completed(
  graph: Graph,
  run: Run,
  { key, job_id: jobId, output }: Extract<RunEvent, { event: 'completed' }>,
  now: number,
): Applied {
  const place = findJobOfRun(graph, run, key)
  const payment = paymentOf(run, key)
  if (place?.job === undefined || payment?.job_id !== jobId || !wasSent(payment)) return go(graph, run, now)
  if (place.job.state !== 'sent' && place.job.state !== 'failed') return go(graph, run, now)
  const ended = setPayment(setJob(graph, run, key, { state: 'done', output }), key, 'paid')
  return go(graph, ended, now, [{ effect: 'wipe', job_id: jobId }])
}

function failed(
  graph: Graph,
  run: Run,
  { key, job_id: jobId, attempt: of, error_type, error }: Extract<RunEvent, { event: 'failed' }>,
  now: number,
): Applied {
  const place = findJobOfRun(graph, run, key)
  if (place?.job?.state !== 'sent' || paymentOf(run, key)?.job_id !== jobId) return go(graph, run, now)
  const { input, attempt } = place.job
  if (of !== attempt) return go(graph, run, now)
  return go(graph, setJob(graph, run, key, { state: 'failed', input, attempt, error_type, error }), now)
}

/** The unsent payment of a first attempt is useless now; for a later attempt, earlier attempts still count. */
function unsent(
  graph: Graph,
  run: Run,
  { key, job_id: jobId, attempt: of, error }: Extract<RunEvent, { event: 'unsent' }>,
  now: number,
): Applied {
  const place = findJobOfRun(graph, run, key)
  if (place?.job?.state !== 'sent' || paymentOf(run, key)?.job_id !== jobId) return go(graph, run, now)
  const { input, attempt } = place.job
  if (of !== attempt) return go(graph, run, now)
  const before = attempt - 1
  const next = setJob(graph, run, key, {
    state: 'failed',
    input,
    attempt: before,
    error_type: 'unsent',
    error,
  })
  if (before > 0) return go(graph, next, now)
  return go(graph, setPayment(next, key, 'wiped'), now, [{ effect: 'wipe', job_id: jobId }])
}

/** Applies the chain's proof about a payment. A charge is final; so is the proof that there can be none. */
function settle(
  graph: Graph,
  run: Run,
  { key, job_id: jobId }: { readonly key: string; readonly job_id: string },
  state: 'paid' | 'dead',
  now: number,
): Applied {
  const payment = paymentOf(run, key)
  if (payment?.job_id !== jobId || payment.state !== 'sent') return go(graph, run, now)
  const job = findJobOfRun(graph, run, key)?.job
  // While the job is in progress, its end is more informative than its charge.
  if (job?.state === 'sent' && state === 'dead')
    return go(graph, setPayment(endUnpaid(graph, run, key, job), key, state), now, [
      { effect: 'wipe', job_id: jobId },
    ])
  return go(graph, setPayment(run, key, state), now, [{ effect: 'wipe', job_id: jobId }])
}

function endUnpaid(graph: Graph, run: Run, key: string, job: Extract<JobState, { state: 'sent' }>): Run {
  return setJob(graph, run, key, {
    state: 'failed',
    input: job.input,
    attempt: job.attempt,
    error_type: 'timeout',
    error: 'No answer came while the payment was valid.',
  })
}

/**
 * Repeats the same job with the same payment while that is valid; otherwise asks for a new payment once the old one can
 * never be charged.
 */
function retried(graph: Graph, run: Run, key: string, now: number): Applied {
  const place = findJobOfRun(graph, run, key)
  if (place === undefined) return refuse(`${key}: is no job of this flow`)
  if (run.control === 'cancelled') return refuse(`${key}: the run is cancelled`)
  const { job, step } = place
  if (job?.state !== 'failed') return go(graph, run, now)
  const payment = paymentOf(run, key)
  switch (payment?.state) {
    case 'sent': {
      if (payment.valid_before < now + secondsNeeded(step))
        return refuse(
          `${key}: too little is left of its payment, which may be charged until ${payment.valid_before}; then sign anew`,
        )
      if (run.control !== 'running') return refuse(`${key}: the run is paused`)
      const attempt = job.attempt + 1
      const sent = setJob(graph, run, key, { state: 'sent', input: job.input, attempt })
      return go(graph, sent, now, [
        { effect: 'send', key, job_id: payment.job_id, attempt, input: job.input },
      ])
    }
    case 'paid':
      return go(graph, reopen(graph, run, key, job, { kind: 'charged' }), now)
    case 'dead':
      return go(graph, reopen(graph, run, key, job, { kind: 'dead' }), now)
    case 'ready':
    case 'wiped':
    case undefined:
      return go(graph, reopen(graph, run, key, job, { kind: 'none' }), now)
  }
}

function answered(
  graph: Graph,
  run: Run,
  { step, approved }: Extract<RunEvent, { event: 'answered' }>,
  now: number,
): Applied {
  const state = Object.hasOwn(run.steps, step) ? run.steps[step] : undefined
  if (state?.state !== 'asking') return refuse(`${step}: does not wait for an answer`)
  if (run.control === 'cancelled') return refuse(`${step}: the run is cancelled`)
  const [way, other] = approved ? (['approved', 'declined'] as const) : (['declined', 'approved'] as const)
  const passed = done(way, passedValue(graph, run, step), [other])
  const { free } = roomIn(run)
  const next = sizeOfState(passed, free) > free ? TOO_LARGE_STATE : passed
  return go(graph, { ...run, steps: { ...run.steps, [step]: next } }, now)
}

/** The limit is never lowered, so that existing signatures stay within it. */
function raised(graph: Graph, run: Run, limit: string, now: number): Applied {
  const [read, before] = [readUsdc(limit), readUsdc(run.max_total)]
  if (!read.ok) return refuse(`max_total: ${read.reason}`)
  if (run.control === 'cancelled') return refuse('the run is cancelled')
  const isMore = before.ok && read.atomic > before.atomic
  return go(graph, isMore ? { ...run, max_total: limit } : run, now)
}

function control(graph: Graph, run: Run, to: Run['control'], now: number): Applied {
  if (run.control === 'cancelled' && to !== 'cancelled') return refuse('the run is cancelled')
  if (to !== 'cancelled') return go(graph, { ...run, control: to }, now)
  const effects: RunEffect[] = []
  let wiped: Run = { ...run, control: 'cancelled' }
  for (const key of Object.keys(run.payments)) {
    const payment = paymentOf(run, key)
    if (payment?.state !== 'ready') continue
    const job = findJobOfRun(graph, wiped, key)?.job
    // The pending quote is not needed any more.
    if (job?.state === 'quoting') wiped = reopen(graph, wiped, key, job, { kind: 'none' })
    wiped = setPayment(wiped, key, 'wiped')
    effects.push({ effect: 'wipe', job_id: payment.job_id })
  }
  return go(graph, wiped, now, effects)
}

function go(graph: Graph, run: Run, now: number, before: readonly RunEffect[] = []): Applied {
  const { run: next, effects } = advance(graph, run, now)
  return { ok: true, run: next, effects: [...before, ...effects] }
}

function reopen(
  graph: Graph,
  run: Run,
  key: string,
  { input }: { readonly input: JsonObject },
  because: UnpaidReason,
): Run {
  return setJob(graph, run, key, { state: 'unpaid', input, because })
}

function wasSent({ state }: Payment): boolean {
  return state === 'sent' || state === 'paid'
}

function isSameAmount(one: string, other: string): boolean {
  const [left, right] = [readUsdc(one), readUsdc(other)]
  return left.ok && right.ok && left.atomic === right.atomic
}

function refuse(reason: string): Applied {
  return { ok: false, reason }
}
