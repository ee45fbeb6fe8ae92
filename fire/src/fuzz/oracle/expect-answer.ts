import type { JsonObject } from 'farebox'
import { POOR } from '../generate/payment-draft.ts'
import type { ExecuteRecipe } from '../generate/recipe.ts'
import { answerTo, type ExpectedAnswer, type ExpectedRefusal } from './expected-answer.ts'
import { isOfPayments, ORDER_OF_CHECKS } from './order-of-checks.ts'

/** D14: of all that is wrong, the earliest decides; where nobody pays, the checks of payments fall away. `readable` is what can be read of the body. */
export function expectAnswer(
  recipe: ExecuteRecipe,
  refusals: readonly ExpectedRefusal[],
  readable: JsonObject | undefined,
  names: readonly string[],
): ExpectedAnswer {
  const isDev = recipe.mode === 'dev'
  const all = isDev ? refusals.filter(({ check }) => !isOfPayments(check)) : [...refusals]
  if (recipe.mode === 'locked') all.push({ check: 'secret' })
  if (!isDev && recipe.payment === undefined) {
    all.push(
      namesUnknown(readable, names)
        ? { check: 'demand', status: 400, errorType: 'capability' }
        : { check: 'demand' },
    )
  }
  const [first] = all.sort((a, b) => ORDER_OF_CHECKS[a.check] - ORDER_OF_CHECKS[b.check])
  return first === undefined ? { check: undefined, status: 200 } : answerTo(first)
}

function namesUnknown(body: JsonObject | undefined, names: readonly string[]): boolean {
  const task = body?.['task']
  if (typeof task !== 'object' || task === null || Array.isArray(task) || !Object.hasOwn(task, 'capability'))
    return false
  const name = task['capability']
  return typeof name !== 'string' || !names.includes(name)
}

/** What the facilitator refuses. */
export function verifyRefusals(recipe: ExecuteRecipe): readonly ExpectedRefusal[] {
  switch (recipe.verifyFault) {
    case 'unauthorized':
      return [{ check: 'verify', status: 401 }]
    case 'unavailable':
      return [{ check: 'verify', status: 500, errorType: 'internal' }]
    case 'invalid':
      return [{ check: 'verify' }]
    case undefined:
      return recipe.payment?.payer === POOR ? [{ check: 'verify' }] : []
  }
}
