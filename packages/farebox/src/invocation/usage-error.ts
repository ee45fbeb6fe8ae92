import { ExplainedError } from '../explained-error.ts'

/** The words of a command were not understood: exit code 2. */
export class UsageError extends ExplainedError {
  override readonly name = 'UsageError'
}
