import { shownText } from './shown-text.ts'
import type { Excerpt } from './text-places.ts'

/** One problem of a config file, with its place. */
export interface ConfigProblem {
  /** The name of the file, as the caller gave it. */
  readonly file: string
  /** From 1; absent when the problem concerns the whole file: it is missing, too large, or not text. */
  readonly line?: number
  /** From 1, in UTF-16 units; present whenever `line` is. */
  readonly column?: number
  /** `capabilities.count.pricing.amount`; empty when the problem concerns the whole file. */
  readonly path: string
  /** The problem: `must be a decimal like "0.01", got "0,01"`. */
  readonly reason: string
  /** How to fix it: `write "0.01"`. */
  readonly fix: string
}

/**
 * Thrown for a config that cannot be served. `problems` has the problems in the order of the file and can be sent as
 * JSON; the message has the same problems for logs, one line each: `agent.json:12:9 path: reason`. `explainConfigError`
 * formats the error for people.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly file: string
  readonly problems: readonly ConfigProblem[]
  /** The source line of each problem, at the index of the problem; undefined when the problem has no line. */
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

/** `agent.json:14:19`, or only the name of the file; safe to print on a terminal. */
export function placeInFile({ file, line, column }: ConfigProblem): string {
  const name = shownText(file.replace(/^\.\//, ''))
  return line === undefined ? name : `${name}:${line}:${column ?? 1}`
}

/** `path: reason`, safe to print on a terminal; long paths are truncated. */
export function writeProblem({ path, reason }: ConfigProblem): string {
  if (path === '') return shownText(reason)
  const shown = path.length > MAX_PATH_CHARACTERS ? `…${path.slice(-MAX_PATH_CHARACTERS)}` : path
  return shownText(`${shown}: ${reason}`)
}

const MAX_PATH_CHARACTERS = 120

function logLine(problem: ConfigProblem): string {
  return `${placeInFile(problem)}${problem.line === undefined ? ':' : ''} ${writeProblem(problem)}`
}
