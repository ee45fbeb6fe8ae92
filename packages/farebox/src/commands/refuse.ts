import { COLOURED, PLAIN } from '../paint.ts'
import type { CommandWorld } from './command-world.ts'
import { exitCodeOf, explainFailure } from './explain-failure.ts'

/** Says why a command cannot be done, and gives its exit code. */
export function refuse(error: unknown, { err }: Pick<CommandWorld, 'err'>): 1 | 2 {
  err.write(explainFailure(error, err.live ? COLOURED : PLAIN))
  return exitCodeOf(error)
}
