import { HandlersError } from '../config/load-handlers.ts'
import { describeThrown } from '../execute/describe-thrown.ts'
import { ExplainedError } from '../explained-error.ts'
import { MismatchedHandlers } from '../handlers.ts'

/** Why handlers cannot be served, on its way from the process that found out. */
export interface Refusal {
  readonly name: string
  readonly message: string
  readonly hint: string
  readonly details: readonly string[]
}

/** The texts of an error; what was not explained where it was thrown has no hint. */
export function describeRefusal(error: unknown): Refusal {
  return {
    name: error instanceof Error ? error.name : '',
    message: describeThrown(error),
    hint: error instanceof ExplainedError ? error.hint : '',
    details: error instanceof HandlersError ? error.details : [],
  }
}

/** The error again, of the kind that is explained as where it was thrown in this process. */
export function refusalError({ name, message, hint, details }: Refusal): Error {
  if (name === 'MismatchedHandlers') return new MismatchedHandlers(message)
  return new HandlersError(message, hint, { details })
}
