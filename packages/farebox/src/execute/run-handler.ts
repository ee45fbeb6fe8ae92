import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import {
  DeadlineError,
  InternalError,
  isServiceError,
  serviceError,
  type ServiceError,
  ValidationError,
} from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { JobContext } from '../handlers.ts'
import { withinDeadline, type Deadline } from './enforce-deadline.ts'
import { describeThrown, placeThrown } from './describe-thrown.ts'
import type { JobOrder } from './job-order.ts'
import { HoldLost, type HeldJob } from './keep-leases.ts'
import type { Service } from './service.ts'

declare const valid: unique symbol

/** Input that the capability's schema took, coerced and with its defaults. */
export type ValidInput = JsonObject & { readonly [valid]: true }

/** What a handler returned, on time. */
export interface HandlerRun {
  readonly output: unknown
  readonly tookMs: number
}

/** The caller is answered 408, but the handler is still running: `ended` resolves when it no longer is. */
export class HandlerOverran extends DeadlineError {
  readonly ended: Promise<void>

  constructor(late: DeadlineError, ended: Promise<void>) {
    super(late.message)
    this.ended = ended
  }
}

/** Checks and coerces the input (D18, D19, D20). Throws a `ValidationError` for the first field at fault (D21). */
export function checkInput(order: JobOrder): ValidInput {
  const checked = order.capability.checkInput(order.input)
  if (!checked.ok) throw new ValidationError(checked.violation.field, checked.violation.reason)
  // The one place where the brand is given.
  return checked.value as ValidInput
}

/**
 * Runs the handler until the deadline. Its typed errors pass; whatever else it throws becomes `Internal error`
 * outside and a line in the log (D26). Throws a {@link HandlerOverran} where it is still running at the deadline,
 * and a {@link HoldLost} where the job is another process's before it begins.
 */
export async function runHandler(
  service: Service,
  order: JobOrder,
  input: ValidInput,
  deadline: Deadline,
  held: HeldJob,
): Promise<HandlerRun> {
  const { clock } = service
  if (held.isLost) throw new HoldLost('the job was taken over before its handler began')
  const aborter = new AbortController()
  const stopWatching = held.onLost(reason => aborter.abort(reason))
  const startedMs = clock.nowMs()
  let running: Promise<unknown> | undefined
  let ended = false
  try {
    const { output } = await withinDeadline(clock, deadline, aborter, () => {
      const calling = callHandler(service, order, input, held, deadline, aborter).finally(() => {
        ended = true
      })
      running = calling
      return calling
    })
    return { output, tookMs: clock.nowMs() - startedMs }
  } catch (error) {
    if (error instanceof DeadlineError && running !== undefined && !ended) {
      throw new HandlerOverran(
        error,
        running.then(
          () => undefined,
          () => undefined,
        ),
      )
    }
    throw error
  } finally {
    stopWatching()
  }
}

/**
 * Async, so that a handler that throws at once and one that rejects later are the same. The output comes boxed: bare,
 * each promise on its way would ask it for `then` again, and one that has a `then` only later would outlast its deadline.
 */
async function callHandler(
  service: Service,
  order: JobOrder,
  input: ValidInput,
  held: HeldJob,
  deadline: Deadline,
  aborter: AbortController,
): Promise<{ readonly output: unknown }> {
  const { clock, log } = service
  const context: JobContext = {
    jobId: order.jobId,
    capability: order.capability.name,
    payer: held.job.payer === '' ? undefined : held.job.payer,
    deadline: deadline.atMs / 1_000,
    // Made by the controller when it is first asked for, and few handlers do.
    get signal() {
      return aborter.signal
    },
    remainingMs: () => Math.max(0, deadline.atMs - clock.nowMs()),
    log: message => log.job(message, order.jobId),
  }
  try {
    return { output: await order.capability.handler(input, context) }
  } catch (error) {
    const at = placeThrown(error)
    log.job(`handler error: ${describeThrown(error)}`, order.jobId, at === undefined ? {} : { at })
    throw toServiceError(error)
  }
}

/** What goes on from a handler must be safe to look at: even `instanceof` runs code of a Proxy, and a getter may change its mind. */
function toServiceError(thrown: unknown): ServiceError {
  try {
    if (isServiceError(thrown)) return serviceError(thrown.errorType, thrown.message)
  } catch {
    // It was one when it was first looked at, and threw when it was looked at again.
  }
  return new InternalError(INTERNAL_ERROR_MESSAGE)
}
