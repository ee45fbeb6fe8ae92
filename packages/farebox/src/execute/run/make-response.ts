import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { JobSuccess } from '@farebox/protocol/job/job-response'
import { refuseResponse } from './response-limits.ts'
import { SERVICE_VERSION } from '@farebox/protocol/version'
import type { JobOrder } from '../request/job-order.ts'
import type { HandlerRun } from './run-handler.ts'
import type { Service } from '../service/service.ts'

declare const valid: unique symbol

/** The output as JSON text, checked: the only thing a response is made from. */
type ValidOutput = string & { readonly [valid]: true }

/**
 * What a handler returned, checked and written: the exact bytes of the 200, settled or not yet, which are only copied
 * from then on. Logs `output valid` where it is.
 *
 * Throws an `InternalError`, with a line in the log, for what breaks its schema in production (D20, VAL-14), what JSON
 * cannot carry, and what some reader would refuse (D39).
 */
export function makeResponse(service: Service, order: JobOrder, run: HandlerRun): string {
  const { output, isValid } = checkOutput(service, order, run)
  const response = writeResponse(service, order, output)
  if (isValid) service.log.job('output valid', order.jobId, { ms: run.tookMs })
  return response
}

/** In dev mode a violation is a warning, and the output passes as it is. */
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
  // The one place where the brand is given.
  return { output: json as ValidOutput, isValid: violation === undefined }
}

/** Nothing is saved or charged that cannot be delivered (D39), in dev mode neither. */
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
