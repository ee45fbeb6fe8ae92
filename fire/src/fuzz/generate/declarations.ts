import fc from 'fast-check'
import type { Capability, Declaration, Field, FieldMap, JsonValue } from 'farebox'
import { TEXT_FORMS } from './text-forms.ts'
import { either } from './values.ts'

/** Names in a schema that are dangerous as object keys. */
const FIELD_NAMES = [...'text count toString constructor items hasOwnProperty valueOf é'.split(' '), 'a b']
const CAPABILITY_NAMES = ['work', 'toString', 'count words', 'constructor', 'résumé', 'a/b', 'x'.repeat(64)]

/** Fields without nested fields, each with a valid value. */
export const PLAIN_FIELDS: readonly (readonly [field: Field, value: JsonValue])[] = [
  [{ type: 'string' }, ''],
  [{ type: 'string', minLength: 2, maxLength: 12 }, 'word'],
  [{ type: 'string', enum: ['red', 'green', '🚕'] }, 'red'],
  [{ type: 'boolean' }, true],
  ...(['number', 'integer'] as const).flatMap((type): [Field, JsonValue][] => [
    [{ type }, 0],
    [{ type, enum: [1, 2, 3] }, 2],
    [{ type, minimum: -3, maximum: 10 }, 1],
  ]),
  ...TEXT_FORMS.map(({ keywords, good }): [Field, JsonValue] => [
    { type: 'string', ...keywords },
    good[0] ?? '',
  ]),
]

/** Valid declarations: one to four capabilities, each with fields of every kind. */
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

/** Each has a different price, in cents, so that a payment for one is never correct for another. */
function capabilitiesAt(cents: number): fc.Arbitrary<Capability> {
  const output = treesOf('output')
  return fc.record({
    description: fc.constantFrom('', 'Works.', 'Zählt Wörter 漢'),
    pricing: fc.constant({ model: 'per_job', amount: `0.0${cents}`, currency: 'USDC' } as const),
    input_schema: either(9, treesOf('input').map, fc.constant({})),
    output_schema: fc.tuple(output.field, output.map).map(([result, more]) => ({ ...more, result })),
  })
}

function treesOf(side: 'input' | 'output') {
  const plain = fc.constantFrom(...PLAIN_FIELDS).map(([field]) => field)
  const withDefault = fc
    .constantFrom(...PLAIN_FIELDS)
    .map(([field, value]): Field => ({ ...field, default: value }))
  const required = fc.constantFrom({}, { required: side === 'input' })
  return fc.letrec<{ field: Field; map: FieldMap }>(tie => ({
    field: fc.oneof(
      { maxDepth: 2 },
      { weight: 16, arbitrary: side === 'input' ? either(4, plain, withDefault) : plain },
      { weight: 4, arbitrary: arraysOf(tie('field')) },
      { weight: 4, arbitrary: objectsOf(tie('map')) },
    ),
    map: fc.dictionary(
      fc.constantFrom(...FIELD_NAMES),
      fc.tuple(tie('field'), required).map(([field, more]) => ({ ...field, ...more })),
      { minKeys: 1, maxKeys: 5, noNullPrototype: true },
    ),
  }))
}

function arraysOf(items: fc.Arbitrary<Field>): fc.Arbitrary<Field> {
  const bounds = fc.option(
    fc.nat(3).map(minItems => ({ minItems, maxItems: 4 })),
    // Absent in one of two cases.
    { freq: 2, nil: {} },
  )
  const typed = fc.tuple(items, bounds).map(([one, more]): Field => ({ type: 'array', items: one, ...more }))
  return either(4, typed, fc.constant<Field>({ type: 'array' }))
}

function objectsOf(maps: fc.Arbitrary<FieldMap>): fc.Arbitrary<Field> {
  const typed = maps.map((properties): Field => ({ type: 'object', properties }))
  return either(4, typed, fc.constant<Field>({ type: 'object' }))
}
