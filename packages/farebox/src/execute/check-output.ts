import { INTERNAL_ERROR_MESSAGE } from '@farebox/protocol/errors/error-types'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { JobSuccess } from '@farebox/protocol/job/job-response'
import { SERVICE_VERSION } from '@farebox/protocol/version'
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
  const { violation, dropped, json, unwritable } = run.judge()
  const warn = (event: string): void => service.log.warn(event, { job: order.jobId })
  if (violation === undefined) service.log.job('output valid', order.jobId, { ms: run.tookMs })
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
  return json as ValidOutput
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
