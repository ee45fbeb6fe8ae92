/** Thrown when the agent's response differs from the rule. */
export class Mismatch extends Error {
  override readonly name: string = 'Mismatch'
  readonly expected: string
  readonly got: string
  /** What to change, when that differs from the check's own `fix`. */
  readonly fix: string | undefined

  constructor(expected: string, got: string, fix?: string) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
    this.fix = fix
  }
}

/** Thrown when the agent did not respond: it was silent for too long, or the connection broke. */
export class NoAnswer extends Mismatch {
  override readonly name = 'NoAnswer'

  constructor(expected: string, why: string) {
    super(expected, `no answer: ${why}`, NO_ANSWER_FIX)
  }
}

const NO_ANSWER_FIX =
  'Answer every request, one that is refused too; the log of the agent may tell what stopped it.'

/** Why a check could not be run: the missing condition, or `agent` when the agent makes the check impossible. */
export type Missing = 'mode' | 'payer' | 'budget' | 'knowledge' | 'socket' | 'agent'

/** Thrown when the rule does not apply to this agent, or cannot be checked with the given options. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
  readonly missing: Missing

  constructor(missing: Missing, why: string) {
    super(why)
    this.missing = missing
  }
}
