import type { Flow } from '@farebox/flows/document/flow'
import type { RunJob, RunProgress, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import { formatClock } from '../../format/time.ts'
import { cutToLine } from '../../format/cut-to-line.ts'
import { plainRefusal } from '../../format/plain-refusal.ts'
import { capitalize, countWord } from '../describe/count-word.ts'
import { nameStop } from '../describe/name-stop.ts'
import { explainRefused } from './explain-refused.ts'
import { isChargedForNothing } from './job-words.ts'

/** The state of a run in words, shown at the top of its page. */
export interface RunWords {
  readonly headline: string
  readonly lede: string
}

/** Describes the state of a run: the money, then the reason, then the next action. A run in progress counts its stops. */
export function describeRun(flow: Flow, run: RunProgress): RunWords {
  switch (run.status) {
    case 'completed':
      return describeCompleted(run)
    case 'running':
      return describeRunning(flow, run)
    case 'waiting':
      return describeWaiting(flow, run)
    case 'failed':
      return describeFailed(flow, run)
    case 'paused':
      return {
        headline: 'Paused',
        lede: `The run will not order any new jobs. ${sayOpen(run)}${sayKept(run)}`,
      }
    case 'cancelled':
      return {
        headline: `Canceled${sayWhyBefore(flow, run)}`,
        lede: `${sayReason(flow, run)}The run will not order any more jobs, and unsent signatures are deleted. ${sayOpen(run)}${sayPaid(run)}`,
      }
  }
}

function describeCompleted(run: RunProgress): RunWords {
  const paid = paidSteps(run)
  const left = run.steps.filter(({ state, jobs }) => state === 'skipped' && jobs.length === 0).length
  if (paid.length === 0) return { headline: 'Done', lede: 'You did not pay for any steps.' }
  const what =
    paid.length === 1
      ? 'The paid step was delivered'
      : `${paid.length === 2 ? 'Both' : `All ${countWord(paid.length)}`} paid steps were delivered`
  const rest =
    left === 0 ? '' : ` ${capitalize(countWord(left))} ${left === 1 ? 'step was' : 'steps were'} skipped.`
  return { headline: 'Delivered and paid', lede: `${what}. ${sayPaid(run)}${rest}` }
}

function describeRunning(flow: Flow, run: RunProgress): RunWords {
  const stops = run.steps.filter(({ state }) => state !== 'skipped')
  const passed = stops.filter(({ state }) => state === 'done').length
  const atWork = run.steps.filter(({ jobs }) =>
    jobs.some(({ state }) => state === 'sent' || state === 'quoting'),
  )
  const failed = run.steps.filter(hasFailed)
  const others = failed.length === 0 ? '' : ` Not delivered and waiting: ${nameAll(flow, failed)}.`
  return {
    headline: `${passed} of ${stops.length} steps done`,
    lede: `${atWork.length === 0 ? 'Contacting the agents' : `In progress: ${nameAll(flow, atWork)}`}.${others}`,
  }
}

function describeWaiting(flow: Flow, run: RunProgress): RunWords {
  const charged = run.steps.filter(({ jobs }) => jobs.some(isChargedForNothing))
  if (charged.length > 0)
    return {
      headline: `${countSteps(charged.length)} charged but not delivered`,
      lede: `${nameAll(flow, charged)} charged you but did not return anything usable. This counts against the agent. The platform cannot promise a refund. ${sayKept(run)}`,
    }
  const failed = run.steps.filter(hasFailed)
  if (failed.length > 0) return describeUndelivered(flow, run, failed)
  const reasons = run.waiting.flatMap(one => (one.for === 'payment' ? [one.because.kind] : []))
  if (reasons.includes('changed'))
    return {
      headline: reasons.length === 1 ? 'A price has changed' : 'Prices have changed',
      lede: `The price is no longer the one you signed for. That signature was deleted without being used. ${sayKept(run)}`,
    }
  if (reasons.includes('too-late') || reasons.includes('dead'))
    return {
      headline: 'A signature expired',
      lede: `It was not used and can no longer be used. Sign again to continue. ${sayKept(run)}`,
    }
  const person = run.waiting.find(one => one.for === 'person')
  if (person !== undefined)
    return {
      headline: 'Your approval is needed',
      lede: `The run will continue after you respond. ${sayKept(run)}`,
    }
  if (reasons.length > 0)
    return {
      headline:
        reasons.length === 1
          ? 'One job is waiting for your payment'
          : `${capitalize(countWord(reasons.length))} jobs are waiting for your payment`,
      lede: `This step needs a payment that could not be signed earlier. ${sayKept(run)}`,
    }
  const time = run.waiting.find(one => one.for === 'time')
  return {
    headline: time === undefined ? 'Waiting' : `Waiting until ${formatClock(time.until, 'local')}`,
    lede: `The run will continue on its own. You can close this page. ${sayKept(run)}`,
  }
}

function describeUndelivered(flow: Flow, run: RunProgress, failed: readonly RunStepAnswer[]): RunWords {
  const jobs = failed.flatMap(step => step.jobs.filter(({ state }) => state === 'failed'))
  const isSilent = jobs.some(job => job.payment?.state === 'sent' && job.job?.status !== 'failed')
  const why = isSilent
    ? `${nameAll(flow, failed)} did not respond in time${run.exposed_until === null ? '' : ` and may still charge you until ${formatClock(run.exposed_until, 'local')}`}.`
    : `${nameAll(flow, failed)} failed. You were not charged for ${failed.length === 1 ? 'it' : 'them'}.`
  const on = `If you resume, you will pay only for ${failed.length === 1 ? 'that step' : 'those steps'}.`
  return {
    headline: `${countSteps(failed.length)} not delivered`,
    lede: `${sayKept(run)}${why} ${on}`,
  }
}

function describeFailed(flow: Flow, run: RunProgress): RunWords {
  const failed = stopped(run)
  const isJob = failed.every(({ step }) => flow.steps[step]?.kind === 'job')
  return {
    headline: 'This run cannot continue',
    lede: `${sayPaid(run)} ${sayReason(flow, run)}${isJob ? 'That step was not sent, and you were not charged for it. ' : ''}No steps after it will be ordered.`,
  }
}

/** The failed steps. No further payment can continue a run past them. */
function stopped({ steps }: RunProgress): readonly RunStepAnswer[] {
  return steps.filter(({ state }) => state === 'failed')
}

function sayWhyBefore(flow: Flow, run: RunProgress): string {
  const failed = stopped(run)
  return failed.length === 0 ? '' : `: ${nameAll(flow, failed)} failed`
}

/** The reason why the first failed step failed, and the change to make. */
function sayReason(flow: Flow, run: RunProgress): string {
  const [first] = stopped(run)
  if (first === undefined) return ''
  const { reason } = first
  const why = reason === null ? '' : `: ${plainRefusal(cutToLine(reason, 200))}`
  const change = explainRefused(flow, first)
  return `${nameAll(flow, [first])} failed${why}. ${change === undefined ? '' : `${cutToLine(change, 300)} `}`
}

/** Whether a job of the step has failed and none is at work. */
function hasFailed({ jobs }: RunStepAnswer): boolean {
  return jobs.some(({ state }) => state === 'failed') && !jobs.some(isAtWork)
}

function isAtWork({ state }: RunJob): boolean {
  return state === 'sent' || state === 'quoting'
}

function paidSteps(run: RunProgress): readonly RunStepAnswer[] {
  return run.steps.filter(({ state, jobs }) => state === 'done' && jobs.length > 0)
}

function sayKept(run: RunProgress): string {
  const { length } = paidSteps(run)
  if (length === 0) return ''
  return length === 1
    ? 'One step was paid for, and its output was kept. '
    : `${capitalize(countWord(length))} steps were paid for, and their outputs were kept. `
}

function sayPaid({ paid }: RunProgress): string {
  return paid === '0' ? 'Nothing was charged.' : `${paid} USDC was paid and confirmed on-chain.`
}

function sayOpen({ exposed, exposed_until: until }: RunProgress): string {
  if (exposed === '0') return ''
  return `${exposed} USDC may still be charged${until === null ? '' : ` until ${formatClock(until, 'local')}`}. `
}

function countSteps(count: number): string {
  return count === 1 ? 'One step was' : `${capitalize(countWord(count))} steps were`
}

function nameAll(flow: Flow, steps: readonly RunStepAnswer[]): string {
  const names = steps.slice(0, 3).map(({ step }) => cutToLine(nameStop(flow, step), 40))
  const rest = steps.length - names.length
  if (rest > 0) return `${names.join(', ')} and ${countWord(rest)} more`
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
