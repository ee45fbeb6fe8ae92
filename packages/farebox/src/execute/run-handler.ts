import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { DeadlineError, InternalError, isServiceError, ValidationError } from '@farebox/protocol/errors/service-errors'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { JobContext } from '../handlers.ts'
import { withinDeadline, type Deadline } from './enforce-deadline.ts'
import type { JobOrder } from './job-order.ts'
import type { HeldJob } from './keep-leases.ts'
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
 * outside and a line in the log (D26). Throws a {@link HandlerOverran} where it is still running at the deadline.
 */
export async function runHandler(
  service: Service,
  order: JobOrder,
  input: ValidInput,
  deadline: Deadline,
  held: HeldJob,
): Promise<HandlerRun> {
  const { clock } = service
  const aborter = new AbortController()
  const abandon = (): void => aborter.abort(held.lost.reason)
  held.lost.addEventListener('abort', abandon)
  const startedMs = clock.nowMs()
  let running: Promise<unknown> | undefined
  let ended = false
  try {
    const output = await withinDeadline(clock, deadline, aborter, () => {
      running = callHandler(service, order, input, held, deadline, aborter.signal).finally(() => {
        ended = true
      })
      return running
    })
    return { output, tookMs: clock.nowMs() - startedMs }
  } catch (error) {
    if (error instanceof DeadlineError && running !== undefined && !ended) {
      throw new HandlerOverran(error, running.then(() => undefined, () => undefined))
    }
    if (isServiceError(error)) throw error
    throw new InternalError(INTERNAL_ERROR_MESSAGE, { cause: error })
  } finally {
    held.lost.removeEventListener('abort', abandon)
  }
}

/** Async, so that a handler that throws at once and one that rejects later are the same. */
async function callHandler(
  service: Service,
  order: JobOrder,
  input: ValidInput,
  held: HeldJob,
  deadline: Deadline,
  signal: AbortSignal,
): Promise<unknown> {
  const { clock, log } = service
  const context: JobContext = {
    jobId: order.jobId,
    capability: order.capability.name,
    payer: held.job.payer === '' ? undefined : held.job.payer,
    deadline: deadline.atMs / 1_000,
    signal,
    remainingMs: () => Math.max(0, deadline.atMs - clock.nowMs()),
    log: message => log.job(message, order.jobId),
  }
  try {
    return await order.capability.handler(input, context)
  } catch (error) {
    log.job(`handler error: ${messageOf(error)}`, order.jobId)
    throw error
  }
}

/** Handlers can throw anything, a Proxy included. */
function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown)
  } catch {
    return 'something that cannot be read'
  }
}
