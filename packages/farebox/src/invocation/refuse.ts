import { redactorOf } from '../environment/environment-redactor.ts'
import { COLOURED, PLAIN } from '../paint.ts'
import type { CommandWorld } from './command-world.ts'
import { exitCodeOf, explainFailure } from './explain-failure.ts'

/** Says why a command cannot be done, and gives its exit code. */
export function refuse(error: unknown, { err, variables }: Pick<CommandWorld, 'err' | 'variables'>): 1 | 2 {
  // Among what is explained are the words of handlers that did not load, and of servers that refused us.
  err.write(redactorOf(variables)(explainFailure(error, err.live ? COLOURED : PLAIN)))
  return exitCodeOf(error)
}
