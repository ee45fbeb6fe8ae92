/** One environment variable that is missing or invalid. */
export interface EnvironmentProblem {
  readonly variable: string
  /** The problem as words that follow the name; for a secret it never contains the value. */
  readonly problem: string
  /** How to fix it. */
  readonly hint: string
}

/** Thrown when the environment is not valid for a start; it has all problems at once (D30). */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  readonly problems: readonly [EnvironmentProblem, ...EnvironmentProblem[]]

  constructor(...problems: [EnvironmentProblem, ...EnvironmentProblem[]]) {
    super(problems.map(({ variable, problem }) => `${variable} ${problem}`).join('\n'))
    this.problems = problems
  }

  /** The name of the first variable at fault. */
  get variable(): string {
    return this.problems[0].variable
  }

  /** How to fix the first problem. */
  get hint(): string {
    return this.problems[0].hint
  }
}
