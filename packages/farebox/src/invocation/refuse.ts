import { redactorOf } from '../environment/environment-redactor.ts'
import { COLOURED, PLAIN } from '../paint.ts'
import type { CommandWorld } from './command-world.ts'
import { exitCodeOf, explainFailure } from './explain-failure.ts'

/** Writes the explanation of an error, and returns the exit code. */
export function refuse(error: unknown, { err, variables }: Pick<CommandWorld, 'err' | 'variables'>): 1 | 2 {
  // Explanations may contain texts of handlers that did not load and of servers that refused a request, so secrets are
  // redacted.
  err.write(redactorOf(variables)(explainFailure(error, err.live ? COLOURED : PLAIN)))
  return exitCodeOf(error)
}
