import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { InternalError } from '@farebox/protocol/errors/service-errors'

/** Why a hire gave no output; see {@link HireError}. */
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

/** What is known of a hire that failed, plain enough to be sent between processes. */
export interface HireFailure {
  readonly problem: HireProblem
  /** The base URL that was given, as far as it is one. */
  readonly agent: string
  readonly charged: 'no' | 'yes' | 'unknown'
  readonly childErrorType: ErrorType | undefined
}

/** Registered by name, as the typed errors are: a handler may have another copy of this package. */
const BRAND = Symbol.for('farebox.hire-error')

/**
 * Thrown by `ctx.hire`. A handler may catch it and go on; uncaught, its job fails as `internal` and is not charged.
 *
 * Nothing was signed: `arguments`, one of them cannot be right; `refused`, the agent asks for something that is not paid,
 * or this agent cannot hire; `loop`, the agent is among those that this job came from, or they are too many; `budget`,
 * that of the job, of the day or of losses does not reach; `conflict`, the same key was used for another order; `no time`;
 * `unreachable`, no agent answered.
 *
 * A payment was signed: `failed`, the agent says that its job failed and that nothing was charged, with its
 * `childErrorType`; `unknown`, no answer tells; `output`, it was paid and delivers something else than it declares, or
 * more than is taken. `failed` and `unknown` count as spent, because a dishonest agent can still charge for them.
 */
export class HireError extends InternalError implements HireFailure {
  override readonly name = 'HireError'
  readonly problem: HireProblem
  readonly agent: string
  readonly charged: HireFailure['charged']
  /** What the hired agent called its failure. */
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

/** Is this one, from whatever copy of this package? */
export function isHireError(thrown: unknown): thrown is HireError {
  return thrown instanceof Error && BRAND in thrown
}
