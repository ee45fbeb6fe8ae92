import type { Need } from './subject.ts'
import type { Trial } from './trial.ts'

/** The rules that cases belong to, as `docs/facilitator-rules.md` lists them. */
export const RULES = {
  SR1: 'A payment is bound to what it was asked for',
  SR2: 'Only the payer can have signed it',
  SR3: 'It is in time, with enough time left to settle',
  SR4: 'A settlement is told as the chain tells it, in both directions',
  SR5: 'What cannot be paid is refused early, and nothing is paid twice',
  SR6: 'What a stranger can make the facilitator spend is bounded',
  SR7: 'A payment is looked at once more right before gas is spent on it',
  SR8: 'The account that pays the gas sends transfers of the token and nothing else',
  API: 'Secrets, numbers and bodies: what reaches the facilitator over HTTP',
} as const

export type Rule = keyof typeof RULES

/**
 * What a facilitator may do with a payment: refuse it everywhere, settle it once, or either, as long as its response and
 * the chain agree.
 */
export type Verdict = 'refused' | 'settled' | 'truthful'

/** One row of the matrix. */
export interface RuleCase {
  /** `SR1-07` */
  readonly id: string
  readonly rule: Rule
  /** A description of the request. */
  readonly sent: string
  /** A description of what the rule requires. */
  readonly expected: string
  readonly needs: readonly Need[]
  /** Sends the request, and checks the responses and the chain. */
  play(trial: Trial): Promise<Outcome>
}

/** The result of a case. */
export interface Outcome {
  /** A short description: `refused`, `settled once`. */
  readonly did: string
  /** The violation of the rule; `undefined` when there is none. */
  readonly wrong?: string | undefined
}

/** A case without its number. */
export type UnnumberedCase = Omit<RuleCase, 'id' | 'rule' | 'needs'> & { readonly needs?: readonly Need[] }

/** Numbers the cases of a rule in order. */
export function numbered(rule: Rule, cases: readonly UnnumberedCase[]): readonly RuleCase[] {
  return cases.map((one, index) => ({
    needs: [],
    ...one,
    rule,
    id: `${rule}-${String(index + 1).padStart(2, '0')}`,
  }))
}
