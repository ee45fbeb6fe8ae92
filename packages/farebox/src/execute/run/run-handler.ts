import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import {
  DeadlineError,
  InternalError,
  isServiceError,
  serviceError,
  ValidationError,
} from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { startSpan } from '@farebox/protocol/internal/trace/spans'
import type { Trace } from '@farebox/protocol/internal/trace/traceparent'
import { withinDeadline, type Deadline } from '../../handler/enforce-deadline.ts'
import type { HandlerCall, HandlerReturn } from '../../handler/handler-host.ts'
import type { JobSpending } from '../../handler/job-spending.ts'
import type { JobOrder } from '../request/job-order.ts'
import { HoldLost, type HeldJob } from '../../jobs/renew-leases.ts'
import { StillRunning } from '../service/still-running.ts'
import type { Service } from '../service/service.ts'

declare const valid: unique symbol

/** Input that matches the capability's schema, coerced and with defaults. */
export type ValidInput = JsonObject & { readonly [valid]: true }

/** The return value of a handler that was on time. */
export interface HandlerRun extends HandlerReturn {
  readonly tookMs: number
  /** Makes the error to throw when the job fails after the run; a typed error then names the spends of the run. */
  readonly asFailure: (error: unknown) => unknown
}

/** The caller is answered 408 while the handler is still running. */
export class HandlerOverran extends StillRunning {}

/** The agent stops while the handler is still running: its caller is answered 503, and nothing is charged (D32). */
export class HandlerCutOff extends Error {
  override readonly name = 'HandlerCutOff'
  /** Resolves when the handler is no longer running. */
  readonly ended: Promise<void>

  constructor(ended: Promise<void>) {
    super('the handler was still running when the agent had to stop')
    this.ended = ended
  }
}

/** Checks and coerces the input (D18, D19, D20). Throws a `ValidationError` for the first invalid field (D21). */
export async function checkInput({ inputs }: Service, order: JobOrder): Promise<ValidInput> {
  const checked = await inputs.check(order.capability, order.readInput, order.bodyBytes)
  if (!checked.ok) throw new ValidationError(checked.violation.field, checked.violation.reason)
  // The only place that creates the branded type.
  return checked.value as ValidInput
}

/**
 * Runs the handler until the deadline. Its typed errors pass; any other error is logged and becomes `Internal error`
 * for the caller (D26). Throws a {@link HandlerOverran} when the handler is still running at the deadline, a
 * {@link HandlerCutOff} when it is still running when the grace period of a stop ends, and a {@link HoldLost} when
 * another process has the job before the handler begins.
 */
export async function runHandler(
  service: Service,
  order: JobOrder,
  input: ValidInput,
  deadline: Deadline,
  held: HeldJob,
): Promise<HandlerRun> {
  const { clock } = service
  if (!(await held.isStillHeld())) throw new HoldLost('the job was taken over before its handler began')
  const startedMs = clock.nowMs()
  const call = prepareCall(service, { order, input, deadline, held })
  const { aborter, spending } = call
  const stopWatching = held.onLost(reason => aborter.abort(reason))
  let running: Promise<HandlerReturn> | undefined
  let ended = false
  const cutOff = watchGrace(service, call, () => running)
  // The handler may log after its request was answered.
  const leave = service.traces.keep(order.jobId)
  try {
    const working = withinDeadline(clock, deadline, aborter, () => {
      running = runToItsEnd(service.handlers, call, order.origin.trace).finally(() => {
        ended = true
        leave()
      })
      return running
    })
    const { check } = await Promise.race([working, cutOff.happened])
    return { check, tookMs: clock.nowMs() - startedMs, asFailure: error => nameSpends(error, spending) }
  } catch (error) {
    const isHandlers = !(error instanceof HandlerCutOff || error instanceof HoldLost)
    const told = isHandlers ? nameSpends(asTyped(service, order.jobId, error, spending), spending) : error
    if (told instanceof DeadlineError && running !== undefined && !ended) {
      throw new HandlerOverran(told.message, endOf(running))
    }
    throw told
  } finally {
    stopWatching()
    cutOff.stopWatching()
    if (running === undefined) leave()
  }
}

function prepareCall(
  service: Service,
  {
    order,
    input,
    deadline,
    held,
  }: {
    readonly order: JobOrder
    readonly input: ValidInput
    readonly deadline: Deadline
    readonly held: HeldJob
  },
): HandlerCall {
  const { jobId, capability } = order
  const payer = held.job.payer === '' ? undefined : held.job.payer
  const aborter = new AbortController()
  const job = { jobId, capability: capability.name, payer, deadline, aborter }
  const spending = service.spending.forJob(job)
  const hiring = service.hiring.forJob({
    ...job,
    priceAtomic: BigInt(capability.requirement.amount),
    holder: held.holder,
    origin: order.origin,
  })
  return { jobId, capability, payer, input, deadline, aborter, spending, hiring }
}

/** Rejects with a {@link HandlerCutOff} and aborts the job when the grace period of a stop ends. */
function watchGrace(
  { graceEnd, log }: Service,
  { jobId, aborter }: HandlerCall,
  running: () => Promise<HandlerReturn> | undefined,
): { readonly happened: Promise<never>; readonly stopWatching: () => void } {
  let stopWatching: () => void = () => undefined
  const happened = new Promise<never>((_, reject) => {
    stopWatching = graceEnd.on(() => {
      const cut = new HandlerCutOff(endOf(running()))
      log.warn(cut.message, { job: jobId })
      aborter.abort(cut)
      reject(cut)
    })
  })
  return { happened, stopWatching }
}

/** Runs the handler and waits for all its spends and hires, including those that the handler did not await. */
async function runToItsEnd(
  handlers: Service['handlers'],
  call: HandlerCall,
  trace: Trace,
): Promise<HandlerReturn> {
  const span = startSpan('internal', `handler ${call.capability.name}`, trace, {
    'farebox.job.id': call.jobId,
  })
  let errorType: string | undefined
  try {
    return await handlers.run(call)
  } catch (error) {
    errorType = isServiceError(error) ? error.errorType : 'internal'
    throw error
  } finally {
    await Promise.all([call.spending.settled(), call.hiring.settled()])
    span.end({}, errorType)
  }
}

/**
 * Converts an unexpected error of a job that moved tokens into an `InternalError`, so that its spends can be named; the
 * original is logged.
 */
function asTyped({ log }: Service, job: string, error: unknown, spending: JobSpending): unknown {
  if (isServiceError(error) || spending.describe() === undefined) return error
  log.warn(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`, { job })
  return new InternalError(INTERNAL_ERROR_MESSAGE, { cause: error })
}

/** Adds the spends of a failed job to its message, because they are not undone. */
function nameSpends(error: unknown, spending: JobSpending): unknown {
  const spends = isServiceError(error) ? spending.describe() : undefined
  return isServiceError(error) && spends !== undefined
    ? serviceError(error.errorType, `${error.message}; ${spends}`)
    : error
}

async function endOf(running: Promise<unknown> | undefined): Promise<void> {
  await running?.catch(() => undefined)
}
