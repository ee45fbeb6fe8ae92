import { ExplainedError } from '../explained-error.ts'

/** The arguments of a command were not understood: exit code 2. */
export class UsageError extends ExplainedError {
  override readonly name = 'UsageError'
}
