import fc from 'fast-check'
import type { Capability, Declaration, Field, FieldMap } from 'farebox'
import { TEXT_FORMS } from './text-forms.ts'
import { either } from './values.ts'

/** Names a schema may hold that would be trouble in a careless object. */
const FIELD_NAMES = [
  'text',
  'count',
  'toString',
  'constructor',
  'items',
  'hasOwnProperty',
  'a b',
  'é',
  'valueOf',
  'x',
]
const CAPABILITY_NAMES = ['work', 'toString', 'count words', 'constructor', 'résumé', 'a/b', 'x'.repeat(64)]

type Side = 'input' | 'output'

/** Declarations without a fault: one to four capabilities, each with fields of every kind. */
export const declarations: fc.Arbitrary<Declaration> = fc.record({
  service_version: fc.constant('1.0' as const),
  name: fc.constantFrom('Fuzzed', 'é漢🚕', 'An agent/with a slash'),
  description: fc.constantFrom('', 'Says it back.', '🚕'.repeat(1_024)),
  wallet: fc.constant('${AGENT_WALLET_ADDRESS}'),
  max_deadline_seconds: fc.constantFrom(30, 0.5, 5, 3_600),
  capabilities: fc
    .tuple(
      fc.shuffledSubarray(CAPABILITY_NAMES, { minLength: 1, maxLength: 4 }),
      fc.tuple(...[1, 2, 3, 4].map(capabilitiesAt)),
    )
    .map(([names, made]) =>
      Object.fromEntries(names.flatMap((name, at) => made.slice(at, at + 1).map(one => [name, one]))),
    ),
})

/** Each at a price of its own, in cents, so that a payment for one is never right for another. */
function capabilitiesAt(cents: number): fc.Arbitrary<Capability> {
  const permission = {
    type: 'EXECUTE_TRANSACTIONS',
    reason: 'Buys the ticket',
    token: 'USDC',
    max_per_transaction: '5.00',
  } as const
  return fc.record(
    {
      description: fc.constantFrom('', 'Works.', 'Zählt Wörter 漢'),
      pricing: fc.constant({ model: 'per_job', amount: `0.0${cents}`, currency: 'USDC' } as const),
      input_schema: either(9, fieldMaps('input'), fc.constant({})),
      output_schema: fc
        .tuple(fields('output'), fieldMaps('output'))
        .map(([result, more]) => ({ ...more, result })),
      permissions: fc.constant([permission]),
    },
    { requiredKeys: ['description', 'pricing', 'input_schema', 'output_schema'] },
  )
}

function fieldMaps(side: Side): fc.Arbitrary<FieldMap> {
  return treesOf(side).map
}

function fields(side: Side): fc.Arbitrary<Field> {
  return treesOf(side).field
}

function treesOf(side: Side): { readonly field: fc.Arbitrary<Field>; readonly map: fc.Arbitrary<FieldMap> } {
  const required = fc.constantFrom({}, { required: side === 'input' })
  return fc.letrec<{ field: Field; map: FieldMap }>(tie => ({
    field: fc
      .tuple(
        fc.oneof({ maxDepth: 2 }, ...plainFields(side), arraysOf(tie('field')), objectsOf(tie('map'))),
        either(4, fc.constant({}), fc.constant({ description: 'A field.', title: 'Field' })),
      )
      .map(([field, described]) => ({ ...field, ...described })),
    map: fc.dictionary(
      fc.constantFrom(...FIELD_NAMES),
      fc.tuple(tie('field'), required).map(([field, more]) => ({ ...field, ...more })),
      { minKeys: 1, maxKeys: 5, noNullPrototype: true },
    ),
  }))
}

/** Fields that hold no others; the first is the one at the bottom of a deep tree. */
function plainFields(side: Side): readonly fc.Arbitrary<Field>[] {
  const defaulted = (field: fc.Arbitrary<Field>, fallback: Field['default']): fc.Arbitrary<Field> =>
    side === 'output' || fallback === undefined
      ? field
      : either(
          4,
          field,
          field.map((one): Field => ({ ...one, default: fallback })),
        )
  const least = fc.nat(3)
  const numbers = fc.constantFrom('number' as const, 'integer' as const)
  return [
    defaulted(fc.constant({ type: 'string' }), ''),
    defaulted(
      least.map(minLength => ({ type: 'string', minLength, maxLength: 12 })),
      'word',
    ),
    defaulted(fc.constant({ type: 'string', enum: ['red', 'green', '🚕'] }), 'red'),
    ...TEXT_FORMS.map(({ keywords, good }) =>
      defaulted(fc.constant({ type: 'string', ...keywords }), good[0]),
    ),
    defaulted(
      numbers.map(type => ({ type })),
      0,
    ),
    defaulted(
      numbers.map(type => ({ type, enum: [1, 2, 3] })),
      2,
    ),
    defaulted(
      fc.tuple(numbers, least).map(([type, below]) => ({ type, minimum: 0 - below, maximum: 10 })),
      1,
    ),
    defaulted(fc.constant({ type: 'boolean' }), true),
  ]
}

function arraysOf(items: fc.Arbitrary<Field>): fc.WeightedArbitrary<Field> {
  const bounds = fc.nat(3).map(minItems => ({ minItems, maxItems: 4 }))
  const typed = fc.tuple(items, either(1, bounds, fc.constant({})))
  const arrays = typed.map(([one, more]): Field => ({ type: 'array', items: one, ...more }))
  return { weight: 4, arbitrary: either(4, arrays, fc.constant<Field>({ type: 'array' })) }
}

function objectsOf(maps: fc.Arbitrary<FieldMap>): fc.WeightedArbitrary<Field> {
  const objects = maps.map((properties): Field => ({ type: 'object', properties }))
  return { weight: 4, arbitrary: either(4, objects, fc.constant<Field>({ type: 'object' })) }
}
