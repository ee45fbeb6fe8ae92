import { authenticityCases } from '../rules/payment/authenticity.ts'
import { bindingCases } from '../rules/payment/binding.ts'
import { bodyCases } from '../rules/door/bodies.ts'
import { callerCases } from '../rules/door/callers.ts'
import { freshnessCases } from '../rules/payment/freshness.ts'
import { numberCases } from '../rules/door/numbers.ts'
import { sentTransactionCases } from '../rules/settlement/sent-transactions.ts'
import { settlementCases } from '../rules/settlement/settlement.ts'
import { spendingCases } from '../rules/settlement/spending.ts'
import { sponsorshipCases } from '../rules/settlement/sponsorship.ts'
import { timeCases } from '../rules/payment/time.ts'
import { numbered, type RuleCase } from '../trial/rule-case.ts'

/** All cases in the order in which they run: the total of the sent transactions is checked last. */
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
