import { checkFields } from '@farebox/protocol/field-rules/check-fields'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { FIELD_KEYWORDS, isFieldType, type Field, type FieldMap } from '@farebox/protocol/fields/field'
import * as fc from 'fast-check'

/** A marker that is only in hostile texts: found outside comments and quotes, it shows an escape. */
export const MARKER = 'injected'

const PIECES = [
  '*/',
  '/*',
  '//',
  '*',
  '/',
  "'",
  '"',
  '`',
  '${',
  '}',
  '{',
  '\\',
  '\n',
  '\r\n',
  '\u2028',
  '\u2029',
  '\0',
  '\t',
  '\u202e',
  '\u200b',
  '\u200d',
  '\ud800',
  '\udc00',
  '🎉',
  '👨‍👩‍👧',
  'ß',
  'ŉ',
  '翻译',
  '@ts-ignore',
  '@deprecated',
  '#',
  '<',
  '>',
  ';',
  '=>',
  ' ',
  '?',
  ': ',
  '1',
  'constructor',
  'toString',
  'new',
  'readonly',
  'get',
  'Handlers',
  'JsonValue',
  'input: XInput, context: JobContext) => ',
  `; ${MARKER} `,
  ` ${MARKER}() `,
  '\\u0027',
  '\\u002a/',
] as const

/** Texts that contain code. */
export const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map(pieces => pieces.join('')),
  fc.string({ unit: 'binary' }),
)

const name = fc.oneof(hostileText, fc.constantFrom('a', 'b', 'foo-bar', 'fooBar', 'toString', 'constructor'))
const TYPES = Object.keys(FIELD_KEYWORDS).filter(isFieldType)
const value = fc.oneof(hostileText, fc.integer({ min: -9, max: 9 }), fc.double(), fc.boolean())
const anyJson = fc.jsonValue({ maxDepth: 2 })

function field(depth: number): fc.Arbitrary<Field> {
  const keywords = {
    type: fc.constantFrom(...TYPES),
    required: fc.boolean(),
    title: hostileText,
    description: hostileText,
    default: fc.oneof(value, anyJson),
    enum: fc.uniqueArray(fc.oneof({ weight: 4, arbitrary: value }, anyJson), { minLength: 1, maxLength: 12 }),
    minLength: fc.nat(9),
    maxLength: fc.integer({ min: 9, max: 99_999 }),
    pattern: fc.constantFrom('^a*/', 'a', "^'$"),
    minimum: fc.integer({ max: 3 }),
    maximum: fc.double({ min: 3, noNaN: true, noDefaultInfinity: true }),
    minItems: fc.nat(3),
    ...(depth > 1 && { items: field(depth - 1), properties: fields(depth - 1) }),
  }
  return fc.record(keywords, { requiredKeys: ['type'] }).map(fitting)
}

function fields(depth: number): fc.Arbitrary<FieldMap> {
  return fc
    .dictionary(name, field(depth), { maxKeys: 4 })
    .map(map =>
      Object.fromEntries(Object.entries(map).filter(([key]) => isFine({ [key]: { type: 'string' } }))),
    )
}

/** Any valid schema of a declaration, with hostile texts and names. */
export const hostileFields = fields(2)

/** Any valid declaration, with hostile texts and names. */
export const hostileDeclaration = fc
  .array(fc.tuple(name, hostileText, hostileFields, hostileFields), { minLength: 1, maxLength: 4 })
  .map(entries =>
    declarationOf(
      Object.fromEntries(
        entries.map(([key, description, input, output]) => [key, { description, input, output }] as const),
      ),
    ),
  )

/** A declaration with these capabilities. */
export function declarationOf(capabilities: {
  readonly [name: string]: {
    readonly description?: string
    readonly input: FieldMap
    readonly output: FieldMap
  }
}): Declaration {
  return {
    service_version: '1.0',
    name: 'Stranger',
    description: 'Would rather be code.',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 5,
    capabilities: Object.fromEntries(
      Object.entries(capabilities).map(([key, { description = '', input, output }]) => [
        key,
        {
          description,
          pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
          input_schema: input,
          output_schema: output,
        },
      ]),
    ),
  }
}

/** Removes capabilities that conflict with the others, from the last on. */
function fitting(wanted: object): Field {
  const { type, ...rest } = JSON.parse(JSON.stringify(wanted)) as Field
  let kept: Field = { type }
  for (const [keyword, setting] of Object.entries(rest)) {
    const settings = keyword === 'enum' ? subsets(setting as readonly unknown[]) : [setting]
    const found = settings.map(one => ({ ...kept, [keyword]: one })).find(one => isFine({ f: one }))
    if (found !== undefined) kept = found
  }
  return kept
}

/** All of them, or each kind alone. */
function subsets(values: readonly unknown[]): readonly unknown[] {
  const kinds = ['string', 'number', 'boolean'].map(kind => values.filter(one => typeof one === kind))
  return [values, ...kinds, values.filter(Array.isArray), values.filter(one => typeof one === 'object')]
}

function isFine(map: { readonly [name: string]: unknown }): boolean {
  return (['input', 'output'] as const).every(side => checkFields(map, [], { side }).length === 0)
}
