import { parseArgs } from 'node:util'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { UsageError } from './usage-error.ts'

/** One `--name` option of a command, for parsing and for the help. */
export interface CommandOption {
  readonly name: string
  /** The placeholder `<file>`; absent for a flag. */
  readonly value?: string
  readonly meaning: string
}

/** The arguments after a command, parsed. */
export interface ParsedArguments {
  /** Values by option, `true` for a flag; a repeated option has its last value. */
  readonly values: ReadonlyMap<string, string | true>
  /** Arguments that belong to no option. */
  readonly rest: readonly string[]
}

/**
 * Parses the arguments after a command. Throws a {@link UsageError} for an unknown option, with a suggestion, and for a
 * value that is missing or unexpected.
 *
 * @param command the command as the user calls it: `farebox start`
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
    // A value that looks like an option means that the real value was forgotten; `--config=-x` passes such a value
    // explicitly.
    if (option.value !== undefined && (value === undefined || (!token.inlineValue && value.startsWith('-'))))
      return refuse(`${token.rawName} needs a value: ${token.rawName} ${option.value}`)
    values.set(token.name, value ?? true)
  }
  return { values, rest }
}

/** Suggests an option: an unfinished name is as likely as a mistyped one. */
function similarOption(name: string, known: readonly string[]): string | undefined {
  return known.find(one => name.length > 1 && one.startsWith(name)) ?? nearest(name, known)
}
