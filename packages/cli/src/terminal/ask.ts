import type * as Prompts from '@clack/prompts'
import { EXIT, Refusal } from '../refusal.ts'
import { printable } from './printable.ts'

/**
 * How a command asks a person; `world.ask`. Asked only where `world.canAsk`. Each method rejects with a
 * `Refusal` of exit code 130 when the person leaves the question by Ctrl-C. What stands in a question may come
 * from a stranger: control characters are taken out here.
 */
export interface Ask {
  /** Yes or no. Only `y` is yes, unless `initial` says that Enter is. */
  confirm(question: string, options?: { readonly initial?: boolean }): Promise<boolean>
  /** One line of text; empty where the person just pressed Enter and there is no `initial`. */
  text(question: string, options?: TextOptions): Promise<string>
  /** A line that is not shown. */
  password(question: string, options?: Pick<TextOptions, 'refuse'>): Promise<string>
  /** One of several; resolves to its `value`. */
  choose(question: string, choices: readonly Choice[]): Promise<string>
}

/** How a line of text is asked for. */
export interface TextOptions {
  /** Shown, dimmed, where nothing has been typed yet. */
  readonly placeholder?: string
  /** What Enter alone answers. */
  readonly initial?: string
  /** Why an answer will not do, shown under the question; undefined where it will. */
  readonly refuse?: (answer: string) => string | undefined
}

/** One thing to choose. */
export interface Choice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

/** Asks on this process's terminal, on the error screen: the output may be going elsewhere. */
export function terminalAsk(signal: AbortSignal): Ask {
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

/** A symbol means that the person left. */
function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (typeof answer === 'symbol') throw new Refusal('stopped', '', { exitCode: EXIT.interrupted })
  // What is left of a type parameter is not narrowed by itself.
  return answer as Exclude<Answer, symbol>
}
