import type { Declaration, FieldMap } from 'farebox'
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

/** What a declaration has: types and keywords of its fields, inputs and outputs apart. */
export function declaredBranches({ capabilities }: Declaration): readonly string[] {
  const names = new Set<string>()
  for (const { input_schema, output_schema } of Object.values(capabilities)) {
    collect(input_schema, 'input', names)
    collect(output_schema, 'output', names)
  }
  return [...names]
}

type Side = 'input' | 'output'

function collect(fields: FieldMap, side: Side, names: Set<string>): void {
  for (const field of Object.values(fields)) {
    names.add(`${side} of type ${field.type}`)
    for (const keyword of Object.keys(field)) names.add(`${side} with ${keyword}`)
    if (field.items !== undefined) collect({ items: field.items }, side, names)
    if (field.properties !== undefined) collect(field.properties, side, names)
  }
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object']
const KEYWORDS = [
  'required',
  'description',
  'title',
  'enum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'items',
  'minItems',
  'maxItems',
  'properties',
]

/** Every branch there is, by the names above and those of the other generators. */
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
    ...(['input', 'output'] as const).flatMap(side => [
      ...TYPES.map(type => `${side} of type ${type}`),
      ...KEYWORDS.map(keyword => `${side} with ${keyword}`),
    ]),
    'input with default',
    ...Object.keys(INTRUDERS).map(name => `declaration with ${name}`),
  ]
}
