/** The agent answered something else than the rule says. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'
  readonly expected: string
  readonly got: string

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`)
    this.expected = expected
    this.got = got
  }
}

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
