import { printable } from '@farebox/conformance/internal/printable'
import type * as Prompts from '@clack/prompts'
import { CommandError, EXIT, usageError } from '../command-error.ts'
import type { Questions, TextOptions, World } from '../world.ts'

/** Asks questions on this process's terminal, through stderr, because stdout may be redirected. */
export function terminalAsk(signal: AbortSignal): Questions {
  const shown = { output: process.stderr, signal }
  // Loaded for the first question, because most commands ask none.
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
  // TypeScript does not narrow the rest of a type parameter by itself.
  return answer as Exclude<Answer, symbol>
}

/**
 * Asks a person to agree to the output above, unless `--yes` was given.
 *
 * @param words `unasked`: what to do when no person can be asked; `refused`: the message when the person does not agree;
 * `kept`: what was then not done
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
