import { HandlersError } from '../loading/load-handlers.ts'
import { describeThrown } from '../handler/describe-thrown.ts'
import { ExplainedError } from '../explained-error.ts'

/** Why handlers cannot be served, on its way from the process that found out. */
export interface ReportedLoadFailure {
  readonly message: string
  readonly hint: string
  readonly details: readonly string[]
}

/** The texts of an error; what was not explained where it was thrown has no hint. */
export function describeLoadFailure(error: unknown): ReportedLoadFailure {
  return {
    message: describeThrown(error),
    hint: error instanceof ExplainedError ? error.hint : '',
    details: error instanceof HandlersError ? error.details : [],
  }
}

/** The error again, of the kind that is explained as where it was thrown in this process. */
export function loadFailureError({ message, hint, details }: ReportedLoadFailure): HandlersError {
  return new HandlersError(message, hint, { details })
}
