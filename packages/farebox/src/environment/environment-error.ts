/** One variable that is missing or wrong. */
export interface EnvironmentProblem {
  readonly variable: string
  /** In words that follow the name; of a secret never the value. */
  readonly problem: string
  /** What to do about it. */
  readonly hint: string
}

/** Thrown when the environment is not fit to start with; it has every problem at once (D30). */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  readonly problems: readonly [EnvironmentProblem, ...EnvironmentProblem[]]

  constructor(...problems: [EnvironmentProblem, ...EnvironmentProblem[]]) {
    super(problems.map(({ variable, problem }) => `${variable} ${problem}`).join('\n'))
    this.problems = problems
  }

  /** The first one's name. */
  get variable(): string {
    return this.problems[0].variable
  }

  /** What to do about the first one. */
  get hint(): string {
    return this.problems[0].hint
  }
}
