import { parseArgs } from 'node:util'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { UsageError } from './usage-error.ts'

/** One `--name` of a command, as it is read and as the help tells it. */
export interface CommandOption {
  readonly name: string
  /** `<file>`; absent for one that is there or not. */
  readonly value?: string
  readonly meaning: string
}

/** The arguments after a command, parsed. */
export interface ParsedArguments {
  /** By option; `true` for one without a value. The last one counts. */
  readonly values: ReadonlyMap<string, string | true>
  /** What belongs to no option. */
  readonly rest: readonly string[]
}

/**
 * Takes apart the arguments after a command. Throws a {@link UsageError} for an option it does not have, with the one
 * that was probably meant, and for a value that is missing or too many.
 *
 * @param command as it is called: `farebox start`
 */
export function parseArguments(
  command: string,
  options: readonly CommandOption[],
  args: readonly string[],
): ParsedArguments {
  const byName = new Map(options.map(option => [option.name, option]))
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      options.map(({ name, value }) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const),
    ),
  })
  const refuse = (problem: string): never => {
    throw new UsageError(`${command}: ${problem}`, `${command} --help lists the options`)
  }
  const values = new Map<string, string | true>()
  const rest: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value)
    if (token.kind !== 'option') continue
    const option = byName.get(token.name)
    if (option === undefined) {
      const meant = similarOption(token.name, [...byName.keys()])
      return refuse(
        `${token.rawName} is not an option${meant === undefined ? '' : `, did you mean --${meant}?`}`,
      )
    }
    const { value } = token
    if (option.value === undefined && value !== undefined) return refuse(`${token.rawName} takes no value`)
    // A value that looks like an option is one whose own value was forgotten; `--config=-x` says that it is meant.
    if (option.value !== undefined && (value === undefined || (!token.inlineValue && value.startsWith('-'))))
      return refuse(`${token.rawName} needs a value: ${token.rawName} ${option.value}`)
    values.set(token.name, value ?? true)
  }
  return { values, rest }
}

/** One begun and not ended is as likely as one mistyped. */
function similarOption(name: string, known: readonly string[]): string | undefined {
  return known.find(one => name.length > 1 && one.startsWith(name)) ?? nearest(name, known)
}
