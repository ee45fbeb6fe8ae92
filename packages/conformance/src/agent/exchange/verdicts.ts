/** The agent answered something else than the rule says. */
export class Mismatch extends Error {
  override readonly name: string = 'Mismatch'
  readonly expected: string
  readonly got: string
  /** What to change, where that is not what the check is about. */
  readonly fix: string | undefined

  constructor(expected: string, got: string, fix?: string) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
    this.fix = fix
  }
}

/** The agent answered nothing at all: it was silent for too long, or the connection broke. */
export class NoAnswer extends Mismatch {
  override readonly name = 'NoAnswer'

  constructor(expected: string, why: string) {
    super(expected, `no answer: ${why}`, NO_ANSWER_FIX)
  }
}

const NO_ANSWER_FIX =
  'Answer every request, one that is refused too; the log of the agent may tell what stopped it.'

/** Why a check could not be made: what would have to be given, or `agent` where the agent leaves no way. */
export type Missing = 'mode' | 'payer' | 'budget' | 'knowledge' | 'socket' | 'agent'

/** The question does not arise with this agent, or cannot be put with what was given. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
  readonly missing: Missing

  constructor(missing: Missing, why: string) {
    super(why)
    this.missing = missing
  }
}
