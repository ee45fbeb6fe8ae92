import type { RunProgress, RunWaiting } from '@farebox/platform-api/flows/runs'
import type { NeededPayment, PersonQuestion, StepFailure } from './run-errors.ts'

type ShownJob = RunProgress['steps'][number]['jobs'][number]

/** Is an agent at work, so that the run proceeds by itself? */
export function isAtWork({ waiting }: RunProgress): boolean {
  return waiting.some(one => one.for === 'agent')
}

/**
 * The failed step, if there is one: a job that waits for a retry, one that was charged and would have to be paid again, or a
 * free step.
 *
 * @param payAgain a charged job may be paid again, so it has not failed for good
 */
export function findFailure(run: RunProgress, payAgain: boolean): StepFailure | undefined {
  for (const one of run.waiting) {
    const isCharged = one.for === 'payment' && one.because.kind === 'charged' && !payAgain
    if (one.for === 'retry' || isCharged) return jobFailure(one, findRunJob(run, one.key))
  }
  const failed = run.steps.find(({ state }) => state === 'failed')
  return (
    failed && {
      key: failed.step,
      charged: 'no',
      chargeableUntil: undefined,
      errorType: undefined,
      reason: failed.reason ?? 'it could not be done',
    }
  )
}

function jobFailure(
  waiting: Extract<RunWaiting, { for: 'retry' | 'payment' }>,
  job: ShownJob | undefined,
): StepFailure {
  const isCharged =
    job?.payment?.state === 'paid' || (waiting.for === 'payment' && waiting.because.kind === 'charged')
  const isExposed = job?.payment?.state === 'sent'
  const until = job?.job?.usable_until ?? job?.payment?.valid_before
  return {
    key: waiting.key,
    charged: isCharged ? 'yes' : isExposed ? 'maybe' : 'no',
    chargeableUntil: isExposed && !isCharged ? until : undefined,
    errorType: job?.error_type ?? undefined,
    reason: job?.error ?? 'nothing usable was delivered',
  }
}

/** The payments that the run asks for, in the order of its steps. */
export function neededPayments({ waiting }: RunProgress): readonly NeededPayment[] {
  return waiting.filter(one => one.for === 'payment')
}

/** The first step that waits for a person's answer; its question comes from the flow. */
export function findQuestion(
  { waiting, steps }: RunProgress,
  questionOf: (step: string) => string,
): PersonQuestion | undefined {
  const asked = waiting.find(one => one.for === 'person')
  if (asked === undefined) return undefined
  const value = steps.find(({ step }) => step === asked.step)?.value
  return { step: asked.step, question: questionOf(asked.step), value }
}

/** A job by its key. */
export function findRunJob({ steps }: RunProgress, key: string): ShownJob | undefined {
  return steps.flatMap(({ jobs }) => jobs).find(job => job.key === key)
}
