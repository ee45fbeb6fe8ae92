import type { VariablesHelp } from './variables.ts'

/** A command of a server program, in addition to running the server. */
export interface ProgramCommand {
  readonly name: string
  /** Its purpose, in one line. */
  readonly summary: string
  /**
   * Runs it.
   *
   * @param args - what stands behind its name
   * @returns the exit code
   */
  run(args: readonly string[]): Promise<number>
}

/** A server program, as its help describes it. */
export interface DescribedProgram {
  /** The name of the command: `farebox-platform`. */
  readonly name: string
  /** Its service, in one line. */
  readonly summary: string
  readonly version: string
  readonly commands: readonly ProgramCommand[]
  readonly variables: VariablesHelp
  /** The location of its documentation. */
  readonly documentation: string
}

/** The output of `--help`, in lines of at most this many columns. */
export function showHelp(program: DescribedProgram, columns: number): string {
  const { name, summary, commands, variables, documentation } = program
  const usage: readonly (readonly [string, string])[] = [
    [name, 'serves until SIGTERM or SIGINT; it is set up by its environment alone'],
    ...commands.map(one => [`${name} ${one.name}`, one.summary] as const),
    [`${name} --help`, 'this help; behind a command, that of the command'],
    [`${name} --version`, program.version],
  ]
  return [
    `${name}   ${summary}`,
    '',
    'Usage',
    ...table(usage, columns),
    '',
    'Environment',
    ...showVariables(variables, columns),
    '',
    'Exit codes',
    '  0  stopped as it was asked to     1  it did not start, and said why     2  the command was not understood',
    '',
    `More in ${documentation}`,
    '',
  ].join('\n')
}

/** The table of variables: name, default, meaning. */
export function showVariables(variables: VariablesHelp, columns: number): readonly string[] {
  const rows = Object.entries(variables).map(
    ([name, { default: value = '–', meaning }]) => [name, value, meaning] as const,
  )
  const [nameWidth, valueWidth] = [0, 1].map(at => Math.max(...rows.map(row => (row[at] ?? '').length)))
  return rows.flatMap(([name, value, meaning]) => {
    const before = `  ${name.padEnd(nameWidth ?? 0)}  ${value.padEnd(valueWidth ?? 0)}  `
    return hang(before, meaning, columns)
  })
}

/** Two aligned columns; the second one is wrapped. */
export function table(rows: readonly (readonly [string, string])[], columns: number): readonly string[] {
  const width = Math.max(...rows.map(([term]) => term.length))
  return rows.flatMap(([term, text]) => hang(`  ${term.padEnd(width)}   `, text, columns))
}

const LEAST_COLUMNS_OF_TEXT = 24

/** A text after its heading, or below it if there is not enough space. */
function hang(before: string, text: string, columns: number): readonly string[] {
  const isBeside = columns - before.length >= LEAST_COLUMNS_OF_TEXT
  const indent = isBeside ? before.length : 6
  const lines = breakLines(text, Math.max(LEAST_COLUMNS_OF_TEXT, columns - indent))
  const [first = '', ...rest] = isBeside ? lines : ['', ...lines]
  return [`${before}${first}`.trimEnd(), ...rest.map(line => ' '.repeat(indent) + line)]
}

function breakLines(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
