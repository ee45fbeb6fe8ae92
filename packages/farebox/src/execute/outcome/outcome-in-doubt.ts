import { isServiceError } from '@farebox/protocol/errors/service-errors'

/**
 * The job store failed, and it is unknown whether the job may still charge its payment. A caller with a proven payment
 * is answered 503. `cause` is the error that the caller gets in dev mode, where nothing is ever charged.
 */
export class OutcomeInDoubt extends Error {
  override readonly name = 'OutcomeInDoubt'
}

/** Awaits a read or claim of a job. Throws {@link OutcomeInDoubt} when the store fails; refusals pass unchanged. */
export async function orInDoubt<Found>(looking: Promise<Found>): Promise<Found> {
  try {
    return await looking
  } catch (error) {
    if (isServiceError(error) || error instanceof OutcomeInDoubt) throw error
    throw new OutcomeInDoubt('the job store failed before the job was claimed', { cause: error })
  }
}
