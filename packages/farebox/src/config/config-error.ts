import { shownText } from './shown-text.ts'
import type { Excerpt } from './text-places.ts'

/** One thing wrong with a config file, and where a person finds it. */
export interface ConfigProblem {
  /** As it was named. */
  readonly file: string
  /** From 1; absent where the file as a whole is at fault: it is missing, too large, not text. */
  readonly line?: number
  /** From 1, in UTF-16 units; there wherever `line` is. */
  readonly column?: number
  /** `capabilities.count.pricing.amount`; empty for the file as a whole. */
  readonly path: string
  /** What is wrong: `must be a decimal like "0.01", got "0,01"`. */
  readonly reason: string
  /** What to do about it: `write "0.01"`. */
  readonly fix: string
}

/**
 * Thrown for a config that cannot be served. `problems` is what is wrong, in the order of the file, and fit to be sent
 * as JSON; the message is the same for logs, one line each: `agent.json:12:9 path: reason`. For people there is
 * `explainConfigError`.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly file: string
  readonly problems: readonly ConfigProblem[]
  /** The line of each problem, at the problem's index; undefined where it has none. */
  readonly excerpts: readonly (Excerpt | undefined)[]

  constructor(
    file: string,
    problems: readonly ConfigProblem[],
    excerpts: readonly (Excerpt | undefined)[] = [],
  ) {
    super(problems.map(logLine).join('\n'))
    this.file = file
    this.problems = problems
    this.excerpts = excerpts
  }
}

/** `agent.json:14:19`, or the file alone; fit for a terminal. */
export function placeInFile({ file, line, column }: ConfigProblem): string {
  const name = shownText(file.replace(/^\.\//, ''))
  return line === undefined ? name : `${name}:${line}:${column ?? 1}`
}

/** `path: reason`, fit for a terminal: names from the file are cut where they are long. */
export function writeProblem({ path, reason }: ConfigProblem): string {
  if (path === '') return shownText(reason)
  const shown = path.length > MAX_PATH_CHARACTERS ? `…${path.slice(-MAX_PATH_CHARACTERS)}` : path
  return shownText(`${shown}: ${reason}`)
}

const MAX_PATH_CHARACTERS = 120

function logLine(problem: ConfigProblem): string {
  return `${placeInFile(problem)}${problem.line === undefined ? ':' : ''} ${writeProblem(problem)}`
}
