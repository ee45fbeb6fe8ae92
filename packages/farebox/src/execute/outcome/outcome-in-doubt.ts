import { isServiceError } from '@farebox/protocol/errors/service-errors'

/**
 * The job store failed, and nobody knows whether the job may still charge its payment: a caller that has proven a
 * payment is answered 503. `cause` is what a caller in dev mode is given, where nothing is ever charged.
 */
export class OutcomeInDoubt extends Error {
  override readonly name = 'OutcomeInDoubt'
}

/** Looks at a job or claims it; throws {@link OutcomeInDoubt} where the store fails, and refusals as they are. */
export async function orInDoubt<Found>(looking: Promise<Found>): Promise<Found> {
  try {
    return await looking
  } catch (error) {
    if (isServiceError(error) || error instanceof OutcomeInDoubt) throw error
    throw new OutcomeInDoubt('the job store failed before the job was claimed', { cause: error })
  }
}
