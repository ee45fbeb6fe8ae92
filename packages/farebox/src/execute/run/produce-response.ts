import type { Deadline } from '../../handler/enforce-deadline.ts'
import type { HeldJob } from '../../jobs/renew-leases.ts'
import type { JobOrder } from '../request/job-order.ts'
import type { Service } from '../service/service.ts'
import { makeResponse } from './make-response.ts'
import { checkInput, runHandler } from './run-handler.ts'

/**
 * Steps 11 to 13 of ARCHITECTURE.md, input → handler → output: does the work and returns the exact bytes of the
 * response. Errors of the handler and of the checks pass.
 */
export async function produceResponse(
  service: Service,
  order: JobOrder,
  held: HeldJob,
  deadline: Deadline,
): Promise<string> {
  const input = await checkInput(service, order)
  service.log.job('input valid', order.jobId)
  const run = await service.metrics.step('handler', () => runHandler(service, order, input, deadline, held))
  try {
    return makeResponse(service, order, run)
  } catch (error) {
    throw run.asFailure(error)
  }
}
