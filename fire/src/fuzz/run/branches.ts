import { BODY_SPOILS } from '../generate/body-spoils.ts'
import { ACCIDENTS } from '../generate/accidents.ts'
import type { BuiltRequest } from '../generate/build-request.ts'
import { PAYMENT_SPOILS } from '../generate/payment-spoils.ts'
import type { ExecuteRecipe } from '../generate/recipe.ts'
import { METHODS, PATHS } from '../generate/routes.ts'
import { BEHAVIOURS } from '../handlers/behaviours.ts'
import type { Foreseen } from '../oracle/foresee.ts'
import { INTRUDERS } from './fuzz-declarations.ts'
import { REPEAT_BRANCHES } from './repeat-request.ts'

/** What was wrong or special about a request, as far as it decided the answer: what an earlier check hid does not count. */
export function decidingBranches(
  recipe: ExecuteRecipe,
  built: BuiltRequest,
  foreseen: Foreseen,
): readonly string[] {
  const { check } = built.expected
  const { mode, payment } = recipe
  const names: string[] = []
  for (const { name } of recipe.bodySpoils)
    if (BODY_SPOILS[name]?.refusal.check === check) names.push(`body: ${name}`)
  for (const { name } of payment?.spoils ?? [])
    if (PAYMENT_SPOILS[name]?.check === check) names.push(`payment: ${name}`)
  if (check === 'input') names.push('input spoilt')
  if (check === 'verify') names.push(`verify: ${recipe.verifyFault ?? 'poor'}`)
  if (foreseen.handlerCalls > 0) names.push(`handler, ${mode}: ${recipe.behaviour}`)
  const [leastSettles] = foreseen.settleCalls
  if (leastSettles > 0) names.push(`settle: ${recipe.settleFault ?? 'settled'}`)
  if (check === undefined && payment !== undefined && mode === 'paid') {
    names.push(
      payment.bound ? 'nonce bound' : 'nonce free',
      payment.alias ? 'header X-PAYMENT' : 'header PAYMENT-SIGNATURE',
    )
    names.push(recipe.isNamed ? 'capability named' : 'capability left out')
  }
  return names
}

/** Every branch there is, by the names above and those of the other generators. Types and keywords of fields are none: the fixed declaration has all of them. */
export function allBranches(): readonly string[] {
  return [
    ...Object.keys(BODY_SPOILS).map(name => `body: ${name}`),
    ...Object.keys(PAYMENT_SPOILS).map(name => `payment: ${name}`),
    'input spoilt',
    ...['invalid', 'unauthorized', 'unavailable', 'poor'].map(name => `verify: ${name}`),
    ...Object.keys(BEHAVIOURS).flatMap(name => [`handler, paid: ${name}`, `handler, dev: ${name}`]),
    ...['settled', 'failed', 'unknown once', 'unknown for long'].map(name => `settle: ${name}`),
    'nonce bound',
    'nonce free',
    'header X-PAYMENT',
    'header PAYMENT-SIGNATURE',
    'capability left out',
    'capability named',
    ...REPEAT_BRANCHES,
    ...ACCIDENTS,
    ...METHODS.map(name => `method ${name}`),
    ...PATHS.map(name => `path ${name}`),
    ...Object.keys(INTRUDERS).map(name => `declaration with ${name}`),
  ]
}
