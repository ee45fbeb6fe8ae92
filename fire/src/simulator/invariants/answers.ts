import { RESPONSE_KEPT_SECONDS } from '@farebox/protocol/limits'
import { LONGEST_PAUSE_MS } from '../faults/targeted-fault.ts'
import type { HandlerRun, JobHistory } from '../records/job-records.ts'
import { capabilityOf, type Send } from '../records/send-records.ts'
import { SPENDING } from '../workload/cast.ts'
import { isMovedByUs, type Evidence } from './verdict.ts'

// Rules of runs, answers and reports.

/** I6: a handler runs once for a job, unless its process dies or is cut off, or the run fails. */
export function* handlerOnce({ world }: Evidence): Iterable<string> {
  for (const [job, history] of world.jobs.all()) {
    if (history.hasLostWrites) continue
    for (const [index, run] of history.runs.entries()) {
      const next = history.runs[index + 1]
      if (next === undefined || mayRunAgain(world, history, run, next)) continue
      yield `the handler of ${job} began in ${run.process} at ${run.startedMs} and again in ${next.process} at ${next.startedMs}`
    }
  }
}

function mayRunAgain(
  world: Evidence['world'],
  { settledMs }: JobHistory,
  run: HandlerRun,
  next: HandlerRun,
): boolean {
  const hasFailed =
    run.endedMs !== undefined &&
    run.endedMs <= next.startedMs &&
    (!run.hasReturned || run.leftMs < TAKEN_OFF_MS)
  if (hasFailed) return true
  const fromMs = run.startedMs - LATE_MS
  const isDisturbed = world.jobs.disturbances().some(({ process, atMs }) => {
    if (atMs < fromMs || atMs > next.startedMs) return false
    // Or the later run had claimed it first, was suspended for longer than its lease, and then continues.
    return process === run.process || (process === next.process && atMs <= run.startedMs)
  })
  if (isDisturbed) return true
  return settledMs.some(atMs => next.startedMs - atMs >= RESPONSE_KEPT_SECONDS * 1_000)
}

/** A process that stopped right after its claim begins late, and only then learns that it lost its lease. */
const LATE_MS = 2 * LONGEST_PAUSE_MS

/** A payment that expires, or the settlement margin, ends a run before the handler's deadline. */
const TAKEN_OFF_MS = 5_000

/** I8: a caller without proof gets nothing, and a payer gets only their own output. */
export function* onlyPayersGetOutput({ world }: Evidence): Iterable<string> {
  for (const { job, isForged, header, payer, seen, caller } of world.sends.all()) {
    if (seen === undefined) continue
    const isRefused = [400, 402].includes(seen.status) || seen.text.includes('shutting down')
    if ((isForged || header === undefined) && !isRefused)
      yield `${caller} proved nothing and was answered ${seen.status} for ${job}`
    if (seen.status !== 200 || payer === undefined) continue
    const owners = world.jobs.of(job).saved.map(({ payment }) => payment)
    if (!owners.some(payment => payment.includes(`:${payer}:`)))
      yield `${caller} got the output of ${job}, which somebody else paid for`
  }
}

/** In the end every outcome is known: nothing is pending. */
export function* everythingEnds({ probes, unresolved }: Evidence): Iterable<string> {
  for (const { send, status, text } of probes) {
    if (status === 503 && !isNotPermitted(send, text)) yield `${send.job} is still answered 503 ${text}`
  }
  for (const jobKey of unresolved) yield `nobody settled ${jobKey}`
}

/**
 * A charged job whose record was lost is run again until its charge is too old; it cannot complete while its payer
 * permits too little.
 */
function isNotPermitted({ body }: Send, text: string): boolean {
  return capabilityOf(body) === SPENDING && text.includes('its job is run again')
}

/** Every answer was one of the documented ones. */
export function* answersAreDocumented({ world }: Evidence): Iterable<string> {
  for (const { status, text, agent } of world.said.oddAnswers) yield `${agent} answered ${status} ${text}`
}

/** Our client reports what an agent answered. */
export function* reportsOfClients(evidence: Evidence): Iterable<string> {
  const { world } = evidence
  for (const { job, payment, reported, words } of world.words.ofClients) {
    const heard = world.sends.all().filter(send => send.job === job && send.payment === payment)
    const says = (...statuses: readonly number[]): boolean =>
      heard.some(({ seen }) => seen !== undefined && statuses.includes(seen.status))
    const isKept =
      payment === undefined ||
      reported === 'unresolved' ||
      (reported === 'done' && says(200)) ||
      (reported === 'failed' && says(400, 401, 402, 408, 500)) ||
      (reported === 'nothing was paid' && heard.length === 0)
    if (!isKept) yield `our client says ${reported} of ${job}: ${words}`
  }
  for (const [job, payments] of world.words.signed) {
    if (payments.size > 1) yield `our client signed ${payments.size} times for ${job}`
  }
}

/**
 * Our facilitator's reports of charges are true: I1, I3 and I5.
 *
 * Payments whose rows were lost or restored are left out. Their callers use one payment for two purposes, or charge a
 * payment that they released, and a ledger cannot know what it has lost; whether a payment bought two jobs at agents is
 * judged by the deliveries.
 */
export function* reportsOfFacilitators(evidence: Evidence): Iterable<string> {
  const { world, onChain } = evidence
  const settledFor = new Map<string, string>()
  for (const { payment, binding, reported, reason, isLast } of world.words.ofFacilitators) {
    if (world.undone.has(payment) || world.setBack.has(payment)) continue
    if (reported === 'settled') {
      const other = settledFor.get(payment)
      settledFor.set(payment, binding)
      if (other !== undefined && other !== binding)
        yield `the facilitator settled ${payment} for two purposes`
      if (!onChain.has(payment)) yield `the facilitator says that ${payment} is settled`
    } else if (isLast && reason !== 'payment_bound_otherwise' && isMovedByUs(evidence, payment))
      yield `the facilitator says ${reported} of ${payment} (${reason}), and charged it`
  }
}
