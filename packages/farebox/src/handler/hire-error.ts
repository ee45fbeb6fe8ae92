import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { InternalError } from '@farebox/protocol/errors/service-errors'

/** The reasons why a hire failed; see {@link HireError}. */
export const HIRE_PROBLEMS = [
  'arguments',
  'refused',
  'loop',
  'budget',
  'conflict',
  'no time',
  'unreachable',
  'failed',
  'unknown',
  'output',
] as const

/** One of {@link HIRE_PROBLEMS}. */
export type HireProblem = (typeof HIRE_PROBLEMS)[number]

/** The facts about a failed hire, plain enough to be sent between processes. */
export interface HireFailure {
  readonly problem: HireProblem
  /** The base URL that was given, if it is one. */
  readonly agent: string
  readonly charged: 'no' | 'yes' | 'unknown'
  readonly childErrorType: ErrorType | undefined
}

/** Registered globally by name, as for the typed errors: handlers may load another copy of this package. */
const BRAND = Symbol.for('farebox.hire-error')

/**
 * Thrown by `ctx.hire`. A handler may catch it and continue; uncaught, its job fails as `internal` and is not charged.
 *
 * Nothing was signed: `arguments`, an argument is invalid; `refused`, the agent asks for a payment of another kind, or
 * this agent cannot hire; `loop`, the agent is among those that this job came from, or the chain of agents is too long;
 * `budget`, the job's budget, the day's budget or the limit for losses is exceeded; `conflict`, the same key was used
 * for another order; `no time`; `unreachable`, no agent answered.
 *
 * A payment was signed: `failed`, the agent says that its job failed and that nothing was charged, with its
 * `childErrorType`; `unknown`, there is no answer; `output`, the job was paid, but its output violates the declaration
 * or is too large. `failed` and `unknown` count as spent, because a dishonest agent can still charge for them.
 */
export class HireError extends InternalError implements HireFailure {
  override readonly name = 'HireError'
  readonly problem: HireProblem
  readonly agent: string
  readonly charged: HireFailure['charged']
  /** The error type that the hired agent reported. */
  readonly childErrorType: ErrorType | undefined

  constructor(message: string, failure: HireFailure, options?: ErrorOptions) {
    super(message, options)
    this.problem = failure.problem
    this.agent = failure.agent
    this.charged = failure.charged
    this.childErrorType = failure.childErrorType
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** Whether an error is a {@link HireError}, from any copy of this package. */
export function isHireError(thrown: unknown): thrown is HireError {
  return thrown instanceof Error && BRAND in thrown
}
