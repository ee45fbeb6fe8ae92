import { ENVIRONMENT_VARIABLES } from '../environment/environment-variables.ts'
import type { CommandOption } from '../invocation/parse-arguments.ts'

/** The contents of a command's help. */
export interface CommandHelp {
  /** `farebox start` */
  readonly command: string
  readonly description: string
  /** The arguments after the command, in short form. */
  readonly usage: string
  readonly options: readonly CommandOption[]
  /** Whether the environment variables are listed as well. */
  readonly environment: boolean
  readonly exitCodes: readonly (readonly [number, string])[]
  /** Lines that can be run without changes. */
  readonly example: readonly string[]
}

/** The text of `farebox <command> --help`; it ends with the example. */
export function writeHelp(help: CommandHelp): string {
  const options: Row[] = help.options.map(({ name, value, meaning }) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    meaning,
  ])
  return [
    // The same layout as the help of the CLI's commands, because users see one program.
    [`Usage: ${help.command} ${help.usage}`, '', help.description],
    ['Options:', ...columns([...options, ['-h, --help', 'this help']])],
    ...(help.environment ? [environmentLines()] : []),
    ['Exit codes', ...columns(help.exitCodes.map(([code, meaning]) => [String(code), meaning]))],
    ['Example', ...help.example.map(line => `  ${line}`)],
  ]
    .map(part => `${part.join('\n')}\n`)
    .join('\n')
}

type Row = readonly [string, ...string[]]

function environmentLines(): readonly string[] {
  return [
    'Environment, and .env beside the config where a variable is not set',
    ...columns(ENVIRONMENT_VARIABLES.map(({ name, fallback, meaning }) => [name, fallback, meaning])),
  ]
}

/** Formats rows as aligned columns. */
export function columns(rows: readonly Row[]): readonly string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, cell.length)),
    [],
  )
  return rows.map(
    row =>
      `  ${row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd((widths[index] ?? 0) + 2))).join('')}`,
  )
}
