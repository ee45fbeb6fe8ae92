import * as answers from './answers.ts'
import * as payments from './payments.ts'
import * as refusals from './refusals.ts'
import * as spends from './spends.ts'
import type { Evidence, Violation } from './verdict.ts'

/** I1 to I8 of ARCHITECTURE.md and further rules, each with a function that yields its violations. */
const RULES: readonly (readonly [invariant: string, rule: (evidence: Evidence) => Iterable<string>])[] = [
  ['I1', payments.onePaymentOneJob],
  ['I1', payments.boundIsBound],
  ['I2', payments.oneJobOneTransfer],
  ['I3', payments.proofBeforeOutput],
  ['I4', payments.paidIsKept],
  ['I4', payments.sameBytes],
  ['I5', refusals.failureIsFree],
  ['D40', refusals.chargedIsDelivered],
  ['I6', answers.handlerOnce],
  ['I7', payments.ledgerIsChain],
  ['I8', answers.onlyPayersGetOutput],
  ['CLIENT', answers.reportsOfClients],
  ['FACILITATOR', answers.reportsOfFacilitators],
  ['END', answers.everythingEnds],
  ['TABLE', answers.answersAreDocumented],
  ['NONCE', ({ world }) => world.said.oddDeeds],
  ['PERM', spends.spendsArePermitted],
  ['SPEND', spends.doneHasItsSpends],
  ['SPEND', spends.failureNamesItsSpends],
]

/** Judges a completed history: every broken rule, and where. */
export function checkHistory(evidence: Evidence): readonly Violation[] {
  return RULES.flatMap(([invariant, rule]) => [...rule(evidence)].map(message => ({ invariant, message })))
}
