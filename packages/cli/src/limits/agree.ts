import { CommandError, usageError } from '../command-error.ts'
import type { World } from '../world.ts'

/**
 * Asks a person for what is shown above, unless `--yes` did.
 *
 * @param refused what is said where they do not want it: `not allowed`
 * @throws {CommandError} where they do not, or nobody is there
 */
export async function agree(
  world: World,
  { yes }: { readonly yes?: true },
  question: string,
  refused: string,
): Promise<void> {
  if (yes === true) return
  if (!world.canAsk) {
    throw usageError('there is no terminal to confirm it on', 'add --yes to agree to it; nothing was signed')
  }
  if (!(await world.ask.confirm(question))) throw new CommandError(refused, 'nothing was signed')
}
