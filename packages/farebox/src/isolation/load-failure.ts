import { HandlersError } from '../loading/load-handlers.ts'
import { describeThrown } from '../handler/describe-thrown.ts'
import { ExplainedError } from '../explained-error.ts'

/** The reason why handlers cannot be served, as sent by the process that loaded them. */
export interface ReportedLoadFailure {
  readonly message: string
  readonly hint: string
  readonly details: readonly string[]
}

/** The texts of an error; an error without an explanation has no hint. */
export function describeLoadFailure(error: unknown): ReportedLoadFailure {
  return {
    message: describeThrown(error),
    hint: error instanceof ExplainedError ? error.hint : '',
    details: error instanceof HandlersError ? error.details : [],
  }
}

/** Makes the error again in this process, so that it is explained as if the handlers had been loaded here. */
export function loadFailureError({ message, hint, details }: ReportedLoadFailure): HandlersError {
  return new HandlersError(message, hint, { details })
}
