import { isServiceError } from '@farebox/protocol/errors/service-errors'
import type { Service } from './service.ts'

/**
 * The job store failed, and nobody knows whether the job may still charge its payment: this is answered 503, unless
 * the store says by then that it keeps nothing of the job. `cause` is what its caller is told in that case.
 */
export class OutcomeInDoubt extends Error {
  override readonly name = 'OutcomeInDoubt'
}

/** Looks at a job or claims it; throws {@link OutcomeInDoubt} where the store fails, and refusals as they are. */
export async function orInDoubt<Found>(looking: Promise<Found>): Promise<Found> {
  try {
    return await looking
  } catch (error) {
    if (isServiceError(error)) throw error
    throw new OutcomeInDoubt('the job store failed before the job was claimed', { cause: error })
  }
}

/**
 * Asks the store once more: true where it keeps nothing of the job, so that nothing of it can be charged
 * (docs/decisions/0016). False where it keeps something, or still does not answer.
 */
export async function isForgotten({ jobs }: Pick<Service, 'jobs'>, jobKey: string): Promise<boolean> {
  try {
    return (await jobs.read(jobKey)) === undefined
  } catch {
    return false
  }
}
