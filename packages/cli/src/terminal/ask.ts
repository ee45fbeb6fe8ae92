import { printable } from '@farebox/conformance/internal/printable'
import type * as Prompts from '@clack/prompts'
import { CommandError, EXIT, usageError } from '../command-error.ts'
import type { Questions, TextOptions, World } from '../world.ts'

/** Asks on this process's terminal, on the error screen: the output may be going elsewhere. */
export function terminalAsk(signal: AbortSignal): Questions {
  const shown = { output: process.stderr, signal }
  // Loaded at the first question: most commands ask none.
  const load = async (): Promise<typeof Prompts> => await import('@clack/prompts')
  return {
    async confirm(question, { initial = false } = {}) {
      const { confirm } = await load()
      return answered(await confirm({ ...shown, message: printable(question), initialValue: initial }))
    },
    async text(question, { placeholder, initial, refuse } = {}) {
      const { text } = await load()
      const answer = await text({
        ...shown,
        message: printable(question),
        ...(placeholder === undefined ? {} : { placeholder: printable(placeholder) }),
        ...(initial === undefined ? {} : { defaultValue: initial }),
        validate: typed => sentence(refuse, typed === undefined || typed === '' ? (initial ?? '') : typed),
      })
      return answered(answer) ?? ''
    },
    async password(question, { refuse } = {}) {
      const { password } = await load()
      const answer = await password({
        ...shown,
        message: printable(question),
        validate: typed => sentence(refuse, typed ?? ''),
      })
      return answered(answer) ?? ''
    },
    async choose(question, choices) {
      const { select } = await load()
      const options = choices.map(({ value, label, hint }) => ({
        value,
        label: printable(label),
        ...(hint === undefined ? {} : { hint: printable(hint) }),
      }))
      return answered(await select({ ...shown, message: printable(question), options }))
    },
  }
}

function sentence(refuse: TextOptions['refuse'], answer: string): string | undefined {
  const reason = refuse?.(answer)
  return reason === undefined ? undefined : printable(reason)
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer === 'symbol') throw new CommandError('stopped', '', { exitCode: EXIT.interrupted })
  // What is left of a type parameter is not narrowed by itself.
  return answer as Exclude<Answer, symbol>
}

/**
 * Asks a person to agree to what is shown above, unless `--yes` did.
 *
 * @param words `unasked`: what to do where nobody is there; `refused`: what is said where they do not want it; `kept`: what
 *   was not done then
 */
export async function agree(
  { canAsk, ask }: World,
  { yes }: { readonly yes?: true },
  question: string,
  {
    unasked,
    refused,
    kept = '',
  }: { readonly unasked: string; readonly refused: string; readonly kept?: string },
): Promise<void> {
  if (yes === true) return
  if (!canAsk) throw usageError('there is no terminal to confirm it on', unasked)
  if (!(await ask.confirm(question))) throw new CommandError(refused, kept)
}
