import { authenticityCases } from './cases/authenticity.ts'
import { bindingCases } from './cases/binding.ts'
import { bodyCases } from './cases/bodies.ts'
import { callerCases } from './cases/callers.ts'
import { freshnessCases } from './cases/freshness.ts'
import { numberCases } from './cases/numbers.ts'
import { sentTransactionCases } from './cases/sent-transactions.ts'
import { settlementCases } from './cases/settlement.ts'
import { spendingCases } from './cases/spending.ts'
import { sponsorshipCases } from './cases/sponsorship.ts'
import { timeCases } from './cases/time.ts'
import { numbered, type RuleCase } from './rule-case.ts'

/** The whole matrix, in the order in which it is played: what was sent over all is looked at last. */
export const ruleCases: readonly RuleCase[] = [
  ...bindingCases,
  ...authenticityCases,
  ...timeCases,
  ...settlementCases,
  ...freshnessCases,
  ...sponsorshipCases,
  ...spendingCases,
  ...numbered('API', [...callerCases, ...numberCases, ...bodyCases]),
  ...sentTransactionCases,
]
