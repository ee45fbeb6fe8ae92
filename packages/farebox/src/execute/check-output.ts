import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { JobSuccess } from '@farebox/protocol/job/job-response'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import { describeThrown } from './describe-thrown.ts'
import type { JobOrder } from './job-order.ts'
import type { HandlerRun } from './run-handler.ts'
import type { Service } from './service.ts'

declare const valid: unique symbol

/** The output as JSON text, checked: the only thing a response is made from. */
export type ValidOutput = string & { readonly [valid]: true }

/**
 * Checks the output against its schema (D20, VAL-14). In production a violation throws an `InternalError` with the
 * generic message; in dev mode it is a warning, and the output passes as it is, if JSON can carry it at all. Logs
 * `output valid` where it is.
 */
export function checkOutput(service: Service, order: JobOrder, run: HandlerRun): ValidOutput {
  const checked = order.capability.checkOutput(run.output)
  const warn = (event: string): void => service.log.warn(event, { job: order.jobId })
  if (checked.ok) service.log.job('output valid', order.jobId, { ms: run.tookMs })
  if (service.payments === undefined) {
    if (!checked.ok)
      warn(
        `output does not match output_schema: ${checked.violation.field}: ${checked.violation.reason}; production answers 500 and is not paid`,
      )
    else if (checked.dropped.length > 0)
      warn(`output fields not declared, production drops them: ${checked.dropped.join(', ')}`)
    return anyJson(service, order, run.output)
  }
  if (!checked.ok) {
    warn(`output refused: ${checked.violation.field}: ${checked.violation.reason}`)
    throw new InternalError(INTERNAL_ERROR_MESSAGE)
  }
  if (checked.dropped.length > 0) warn(`output fields not declared, dropped: ${checked.dropped.join(', ')}`)
  // The one place where the brand is given, beside dev mode's below.
  return JSON.stringify(checked.value) as ValidOutput
}

/** The exact bytes of the 200, settled or not yet: written once, then only copied. */
export function writeResponse(order: JobOrder, output: ValidOutput, completedAtSeconds: number): string {
  const envelope: Omit<JobSuccess, 'output'> = {
    service_version: SERVICE_VERSION,
    job_id: order.jobId,
    status: 'completed',
    completed_at: completedAtSeconds,
  }
  const { completed_at, ...head } = envelope
  return `${JSON.stringify(head).slice(0, -1)},"output":${output},"completed_at":${completed_at}}`
}

function anyJson(service: Service, order: JobOrder, output: unknown): ValidOutput {
  try {
    const text: unknown = JSON.stringify(output)
    if (typeof text === 'string') return text as ValidOutput
  } catch (error) {
    service.log.warn(`output is not JSON: ${describeThrown(error)}`, { job: order.jobId })
  }
  throw new InternalError(INTERNAL_ERROR_MESSAGE)
}
