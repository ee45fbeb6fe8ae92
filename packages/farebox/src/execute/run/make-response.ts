import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { JobSuccess } from '@farebox/protocol/job/job-response'
import { refuseResponse } from './response-limits.ts'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import type { JobOrder } from '../request/job-order.ts'
import type { HandlerRun } from './run-handler.ts'
import type { Service } from '../service/service.ts'

declare const valid: unique symbol

/** The checked output as JSON text; a response can be made only from it. */
type ValidOutput = string & { readonly [valid]: true }

/**
 * Checks a handler's output and writes the response: the exact bytes of the 200, which are only copied from then on,
 * before and after the settlement. Logs `output valid` when the output matches its schema.
 *
 * Throws an `InternalError`, with a line in the log, for output that violates its schema in production (D20, VAL-14),
 * cannot be written as JSON, or exceeds what readers accept (D39).
 */
export function makeResponse(service: Service, order: JobOrder, run: HandlerRun): string {
  const { output, isValid } = checkOutput(service, order, run)
  const response = writeResponse(service, order, output)
  if (isValid) service.log.job('output valid', order.jobId, { ms: run.tookMs })
  return response
}

/** In dev mode a violation is only a warning, and the output passes unchanged. */
function checkOutput(
  service: Service,
  order: JobOrder,
  run: HandlerRun,
): { readonly output: ValidOutput; readonly isValid: boolean } {
  const { violation, dropped, json, unwritable } = run.check()
  const warn = (event: string): void => service.log.warn(event, { job: order.jobId })
  const isDev = service.payments === undefined
  if (violation !== undefined) {
    const { field, reason } = violation
    warn(
      isDev
        ? `output does not match output_schema: ${field}: ${reason}; production answers 500 and is not paid`
        : `output refused: ${field}: ${reason}`,
    )
  } else if (dropped.length > 0) {
    const names = dropped.join(', ')
    warn(`output fields not declared, ${isDev ? 'production drops them' : 'dropped'}: ${names}`)
  }
  if (unwritable !== undefined) warn(`output is not JSON: ${unwritable}`)
  if (json === undefined || (violation !== undefined && !isDev))
    throw new InternalError(INTERNAL_ERROR_MESSAGE)
  // The only place that creates the branded type.
  return { output: json as ValidOutput, isValid: violation === undefined }
}

/** Writes the response. A response that cannot be delivered is never saved or charged for (D39), in dev mode either. */
function writeResponse(service: Service, order: JobOrder, output: ValidOutput): string {
  const envelope: Omit<JobSuccess, 'output'> = {
    service_version: SERVICE_VERSION,
    job_id: order.jobId,
    status: 'completed',
    completed_at: Math.floor(service.clock.nowMs() / 1_000),
  }
  const { completed_at, ...head } = envelope
  const response = `${JSON.stringify(head).slice(0, -1)},"output":${output},"completed_at":${completed_at}}`
  const refused = refuseResponse(Buffer.from(response))
  if (refused === undefined) return response
  service.log.warn(`output refused: output: ${refused}`, { job: order.jobId })
  throw new InternalError(INTERNAL_ERROR_MESSAGE)
}
