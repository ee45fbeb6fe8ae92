import { readdirSync, readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIELD_KEYWORDS, isFieldType, type JsonObject, type JsonValue } from '../fields/field.ts'
import { FORMATS } from '../fields/formats.ts'
import { checkDeclaration } from './check-declaration.ts'
import { declarationSchema } from './declaration-schema.ts'

const EXAMPLES = new URL('../../../../examples/', import.meta.url)
const TYPES = Object.keys(FIELD_KEYWORDS).filter(isFieldType)

/** As strict as possible; keywords of editors beyond the standard are listed. */
function compile(): ValidateFunction {
  const ajv = new Ajv({ strict: true, allErrors: true, validateSchema: true })
  ajv.addVocabulary(['patternErrorMessage'])
  return ajv.compile(declarationSchema())
}

const acceptedBySchema = compile()

/** Do the check and the schema accept the value? */
function verdicts(value: unknown): { readonly check: boolean; readonly schema: boolean } {
  return { check: checkDeclaration(value).ok, schema: acceptedBySchema(value) }
}

const BOTH = { check: true, schema: true }
const NEITHER = { check: false, schema: false }

const TEXT = { type: 'string', required: true }
const PERMISSION = {
  type: 'EXECUTE_TRANSACTIONS',
  reason: 'Buys',
  token: 'USDC',
  max_per_transaction: '5.00',
}

function capability(changes: object = {}): object {
  return {
    description: 'Counts words',
    pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
    input_schema: { text: TEXT },
    output_schema: { words: { type: 'number' } },
    ...changes,
  }
}

function declaration(changes: object = {}): object {
  return {
    service_version: '1.0',
    name: 'Word counter',
    description: 'Counts the words of a text',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 10,
    capabilities: { count: capability() },
    ...changes,
  }
}

const withCapability = (changes: object): object =>
  declaration({ capabilities: { count: capability(changes) } })
const withField = (field: unknown): object => withCapability({ input_schema: { f: field } })
const withAmount = (amount: unknown): object =>
  withCapability({ pricing: { model: 'per_job', amount, currency: 'USDC' } })

function without(key: string, object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}

describe('the schema accepts what the check accepts', () => {
  test.each<[string, object]>([
    ['the least there is', declaration()],
    ['$schema', declaration({ $schema: './node_modules/farebox/agent.schema.json' })],
    ['a literal wallet', declaration({ wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65' })],
    ['64 emoji as a name', declaration({ name: '🚌'.repeat(64) })],
    ['an empty description', declaration({ description: '' })],
    ['half a second', declaration({ max_deadline_seconds: 0.5 })],
    ['no input', withCapability({ input_schema: {} })],
    ['permissions', withCapability({ permissions: [PERMISSION] })],
    ['a capability with an odd name', declaration({ capabilities: { '01 ключ': capability() } })],
    ['a field called type', withCapability({ input_schema: { type: TEXT, properties: TEXT } })],
    [
      'every keyword of a text',
      withField({
        ...TEXT,
        title: 't',
        description: 'd',
        examples: ['a'],
        default: 'a',
        enum: ['a', 'b'],
        minLength: 0,
        maxLength: 9,
        pattern: '^.',
        format: 'hostname',
      }),
    ],
    [
      'fields within fields',
      withField({
        type: 'array',
        minItems: 1,
        maxItems: 2,
        items: {
          type: 'object',
          properties: { a: { type: 'array', items: { type: 'integer', minimum: 0 } } },
        },
      }),
    ],
  ])('%s', (_, value) => {
    expect(verdicts(value)).toEqual(BOTH)
  })

  const examples = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter(
    file => file.endsWith('agent.json') && !file.includes('node_modules'),
  )

  test('there are examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(4)
  })

  test('the example that editors propose for an empty file', () => {
    const proposed = declarationSchema()['examples']
    expect(Array.isArray(proposed) && proposed.map(verdicts)).toEqual([BOTH])
  })

  test.each(examples)('examples/%s', file => {
    expect(verdicts(JSON.parse(readFileSync(new URL(file, EXAMPLES), 'utf8')))).toEqual(BOTH)
  })
})

describe('both refuse an invalid form', () => {
  test.each<[string, unknown]>([
    ['no object', []],
    ...Object.keys(declaration()).flatMap((key): [string, unknown][] => [
      [`no ${key}`, without(key, declaration())],
      [`${key} of a wrong type`, declaration({ [key]: null })],
    ]),
    ...Object.keys(capability()).flatMap((key): [string, unknown][] => [
      [`a capability without ${key}`, declaration({ capabilities: { count: without(key, capability()) } })],
      [`a capability whose ${key} is null`, withCapability({ [key]: null })],
    ]),
    ...Object.keys(PERMISSION).map((key): [string, unknown] => [
      `a permission without ${key}`,
      withCapability({ permissions: [without(key, PERMISSION)] }),
    ]),
    ['an unknown key', declaration({ colour: 'red' })],
    ['an unknown key of a capability', withCapability({ price: '1' })],
    [
      'an unknown key of a price',
      withCapability({ pricing: { model: 'per_job', amount: '1', currency: 'USDC', x: 1 } }),
    ],
    ['another version', declaration({ service_version: '2.0' })],
    ['a blank name', declaration({ name: ' \n' })],
    ['a name too long', declaration({ name: 'n'.repeat(65) })],
    ['a description too long', declaration({ description: '🚌'.repeat(1_025) })],
    ['no time', declaration({ max_deadline_seconds: 0 })],
    ['more than an hour', declaration({ max_deadline_seconds: 3_601 })],
    ['no capability', declaration({ capabilities: {} })],
    ['a capability called by a number', declaration({ capabilities: { 7: capability() } })],
    ['a capability without a name', declaration({ capabilities: { '': capability() } })],
    ['a capability with a long name', declaration({ capabilities: { ['n'.repeat(65)]: capability() } })],
    [
      'a capability called __proto__',
      JSON.parse(JSON.stringify(declaration()).replace('"count"', '"__proto__"')),
    ],
    ['another model', withCapability({ pricing: { model: 'per_call', amount: '1', currency: 'USDC' } })],
    ['another currency', withCapability({ pricing: { model: 'per_job', amount: '1', currency: 'EUR' } })],
    ['permissions that are none', withCapability({ permissions: {} })],
    ...[
      1,
      '0',
      '0.0',
      '0.0000000',
      '-1',
      '1.',
      '.5',
      '01',
      '1e3',
      '1,5',
      '0.0000001',
      '',
      ' 1',
      '1\n',
      '9'.repeat(41),
    ].map((amount): [string, unknown] => [`the price ${JSON.stringify(amount)}`, withAmount(amount)]),
    ...[
      '',
      '0x1234',
      `0x${'0'.repeat(40)}`,
      `0X${'a'.repeat(40)}`,
      '$AGENT_WALLET_ADDRESS',
      'a.eth',
      ` 0x${'a'.repeat(40)}`,
    ].map((wallet): [string, unknown] => [`the wallet "${wallet}"`, declaration({ wallet })]),
    ['a field that is a text', withField('string')],
    ['a field without a type', withField({})],
    ['a field of an unknown type', withField({ type: 'int' })],
    ['a field of two types', withField({ type: ['string', 'null'] })],
    ['a field called by a number', withCapability({ input_schema: { 7: TEXT } })],
    ['a field without a name', withCapability({ input_schema: { '': TEXT } })],
    ['a list of fields', withCapability({ input_schema: [TEXT] })],
    [
      'a whole JSON Schema',
      withCapability({ output_schema: { type: 'object', properties: { a: TEXT }, required: ['a'] } }),
    ],
    ['required as a list', withField({ type: 'object', required: ['a'] })],
    ['an empty enum', withField({ type: 'string', enum: [] })],
    ['an enum with a value twice', withField({ type: 'string', enum: ['a', 'a'] })],
    ['an enum of another type', withField({ type: 'string', enum: [1] })],
    ['a default of another type', withField({ type: 'integer', default: 1.5 })],
    ['a length that is a text', withField({ type: 'string', minLength: '1' })],
    ['a length below zero', withField({ type: 'string', minLength: -1 })],
    ['half an item', withField({ type: 'array', maxItems: 1.5 })],
    ['a pattern too long', withField({ type: 'string', pattern: 'a'.repeat(257) })],
    ['an unknown format', withField({ type: 'string', format: 'phone' })],
    [
      'a wrong field deep inside',
      withField({ type: 'array', items: { type: 'object', properties: { a: { type: 'x' } } } }),
    ],
    ...TYPES.flatMap(type =>
      Object.values(FIELD_KEYWORDS)
        .flat()
        .filter(keyword => !FIELD_KEYWORDS[type].includes(keyword))
        .map((keyword): [string, unknown] => [
          `${keyword} on a field of type ${type}`,
          withField({ type, [keyword]: 1 }),
        ]),
    ),
  ])('%s', (_, value) => {
    expect(verdicts(value)).toEqual(NEITHER)
  })
})

describe('arbitrary input', () => {
  const anyValue = fc.jsonValue({ maxDepth: 2 })
  const anyField: fc.Arbitrary<unknown> = fc.letrec<{ field: unknown }>(tie => ({
    field: fc.record(
      {
        type: fc.constantFrom<unknown>(...TYPES, ...TYPES, 'null'),
        required: fc.boolean(),
        title: fc.string(),
        default: fc.oneof(anyValue, fc.string(), fc.integer()),
        enum: fc.array(fc.oneof(fc.string({ maxLength: 1 }), fc.integer({ min: 0, max: 3 })), {
          maxLength: 3,
        }),
        minLength: fc.integer({ min: -1, max: 5 }),
        maxLength: fc.constantFrom<unknown>(5, 6, '7'),
        pattern: fc.constantFrom('^a$', '(', 'a'.repeat(257)),
        format: fc.constantFrom(...FORMATS, 'phone'),
        minimum: fc.double(),
        maximum: fc.double(),
        items: tie('field'),
        minItems: fc.nat(3),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '7', '__proto__', ''), tie('field'), {
          maxKeys: 2,
        }),
        zebra: fc.constant(1),
      },
      { requiredKeys: ['type'] },
    ),
  })).field
  /** Nearly all random fields are refused, so for most of them the keywords that the check refuses are removed. */
  const mostlyGood = fc
    .tuple(anyField, fc.integer({ min: 0, max: 9 }))
    .map(([field, luck]) => (luck === 0 ? field : keepGood(field)))
  const anyMap = fc.dictionary(fc.constantFrom('a', 'b', 'type', 'properties'), mostlyGood, { maxKeys: 3 })
  const anyDeclaration = fc
    .tuple(
      anyMap,
      anyMap,
      fc.oneof({ weight: 3, arbitrary: fc.constant('0.5') }, fc.stringMatching(/^[\d.]{0,9}$/)),
      fc.string({ unit: 'grapheme', maxLength: 70 }),
    )
    .map(([input_schema, output_schema, amount, name]) =>
      declaration({
        name,
        capabilities: {
          count: capability({
            input_schema,
            output_schema,
            pricing: { model: 'per_job', amount, currency: 'USDC' },
          }),
        },
      }),
    )

  test('the schema refuses nothing that the check accepts', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.oneof({ weight: 5, arbitrary: anyDeclaration }, anyValue), value => {
        const read: unknown = JSON.parse(JSON.stringify(value))
        const { check, schema } = verdicts(read)
        if (check) accepted += 1
        expect(check && !schema, JSON.stringify(acceptedBySchema.errors)).toBe(false)
      }),
      { numRuns: 400 },
    )
    expect(accepted).toBeGreaterThan(60)
  })
})

/** The field with the keywords that the check accepts, as JSON. */
function keepGood(field: unknown): object {
  let kept: object = { type: 'string' }
  for (const [keyword, setting] of Object.entries(JSON.parse(JSON.stringify(field)) as object)) {
    const more = { ...kept, [keyword]: setting as unknown }
    if (checkDeclaration(withField(more)).ok) kept = more
  }
  return kept
}

test('every key and keyword has a hover text', () => {
  expect(undescribed(declarationSchema(), '')).toEqual([])
})

/** Properties without a description, in the schema and in those within it. */
function undescribed(schema: JsonValue | undefined, path: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return []
  const properties = Object.entries(asObject(schema['properties']))
  const inner = [
    ...properties.map(([name, property]) => [property, `${path}.${name}`] as const),
    ...Object.entries(asObject(schema['definitions'])).map(
      ([name, one]) => [one, `${path}#${name}`] as const,
    ),
    ...[schema['items'], schema['additionalProperties']].map(one => [one, `${path}[]`] as const),
  ]
  return [
    ...properties.flatMap(([name, property]) =>
      'description' in asObject(property) ? [] : [`${path}.${name}`],
    ),
    ...inner.flatMap(([one, where]) => undescribed(one, where)),
  ]
}

function asObject(value: JsonValue | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
