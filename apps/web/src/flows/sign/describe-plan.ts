import type { JsonObject } from '@farebox/protocol/fields/field'
import { capitalize, countWord } from '../describe/count-word.ts'
import { describeValue } from '../describe/describe-value.ts'
import type { SigningPlan } from './plan-signing.ts'

/** Describes the payments of a plan in one or two sentences. */
export function describePlan({ now, later }: SigningPlan): string {
  const count = now.length
  if (count === 0 && later.length === 0) return 'This run has no paid steps.'
  const what =
    count === 0
      ? 'No payments will be signed at the start'
      : count === 1
        ? 'One payment will be signed, valid only for its own step'
        : `${capitalize(countWord(count))} payments will be signed, each valid only for its own step`
  return `${what}. If a step is not delivered, you will not be charged for it or for any step after it.`
}

/** The input of a run in one line. */
export function describeInput(input: JsonObject): string {
  return Object.entries(input)
    .map(([name, value]) => `${name} ${describeValue(value, 48)}`)
    .join(', ')
}
