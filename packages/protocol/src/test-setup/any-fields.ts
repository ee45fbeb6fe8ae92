import * as fc from 'fast-check'
import { compileInput } from '../fields/compile.ts'
import {
  FIELD_KEYWORDS,
  isFieldType,
  type Field,
  type FieldMap,
  type JsonObject,
  type JsonValue,
} from '../fields/field.ts'
import { FORMATS } from '../fields/formats.ts'
import { checkFields } from '../field-rules/check-fields.ts'
import { sample } from '../samples/sample.ts'

const TYPES = Object.keys(FIELD_KEYWORDS).filter(isFieldType)
const PATTERNS = ['^[a-z]+$', '^\\d{3}$', 'a', '', '^x*$', '^(foo|bar)-?\\w{2,}$']

/** Two ordered numbers, for a pair of bounds. */
const bounds = fc.tuple(fc.nat(8), fc.nat(8)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)

/** Any field without problems according to `checkFields`, nested at most `depth` levels deep. */
export function fieldOf(depth: number): fc.Arbitrary<Field> {
  const types = depth <= 1 ? TYPES.filter(type => type !== 'array' && type !== 'object') : TYPES
  const plain = fc.record(
    {
      type: fc.constantFrom(...types),
      required: fc.boolean(),
      length: bounds,
      range: bounds,
      size: bounds,
      pattern: fc.constantFrom(...PATTERNS),
      format: fc.constantFrom(...FORMATS),
      enum: fc.uniqueArray(anyScalar, { minLength: 1, maxLength: 4 }),
      default: fc.oneof<fc.Arbitrary<JsonValue>[]>(anyScalar, fc.constant([]), fc.constant({})),
    },
    { requiredKeys: ['type'] },
  )
  if (depth <= 1) return plain.map(toField)
  const contents = fc.record(
    { items: fieldOf(depth - 1), properties: mapOf(depth - 1) },
    { requiredKeys: [] },
  )
  return fc.tuple(plain, contents).map(([keywords, inside]) => toField({ ...keywords, ...inside }))
}

/** A map of such fields. */
export function mapOf(depth: number): fc.Arbitrary<FieldMap> {
  return fc.dictionary(fc.constantFrom('a', 'b', 'toString', 'constructor'), fieldOf(depth), { maxKeys: 3 })
}

/** A text, a number or a boolean. */
export const anyScalar = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.string({ maxLength: 4 }), fc.boolean())

interface Ingredients extends Field {
  readonly length?: readonly [number, number]
  readonly range?: readonly [number, number]
  readonly size?: readonly [number, number]
}

/** Keeps the keywords of the type, and only values that the field itself accepts. */
function toField({ length, range, size, ...rest }: Ingredients): Field {
  const all: { [keyword: string]: unknown } = { ...rest }
  if (length !== undefined) [all['minLength'], all['maxLength']] = length
  if (range !== undefined) [all['minimum'], all['maximum']] = range
  if (size !== undefined) [all['minItems'], all['maxItems']] = size
  const kept = Object.entries(all).filter(([keyword]) => FIELD_KEYWORDS[rest.type].includes(keyword))
  const {
    enum: allowed,
    default: fallback,
    ...plain
  }: Field = { type: rest.type, ...Object.fromEntries(kept) }
  const fitting = allowed?.filter(value => isFine({ ...plain, enum: [value] })) ?? []
  const narrowed = fitting.length === 0 ? plain : { ...plain, enum: fitting }
  if (fallback === undefined || !isFine({ ...narrowed, default: fallback })) return narrowed
  return { ...narrowed, default: fallback }
}

function isFine(field: Field): boolean {
  return (['input', 'output'] as const).every(side => checkFields({ f: field }, [], { side }).length === 0)
}

/** Inputs that the agent accepts for the fields: complete, with required fields only, and with empty values. */
export function takenInputs(fields: FieldMap): readonly JsonObject[] {
  const check = compileInput(fields)
  const inputs = (['all', 'required', 'empty'] as const).map(kind =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([, { required }]) => required === true || kind !== 'required')
        .map(([name, field]) => [name, valueOf(field, kind)]),
    ),
  )
  return inputs.filter(input => check(input).ok)
}

function valueOf(field: Field, kind: 'all' | 'required' | 'empty'): JsonValue {
  const taken = (value: JsonValue): boolean => compileInput({ f: field })({ f: value }).ok
  const sampled = sample({ f: { ...field, required: true } })
  const filled = sampled.ok ? (sampled.value['f'] ?? null) : null
  if (kind !== 'empty') return filled
  const found = ['', [], {}, [''], ['a\nb'], 'a\nb', [filled]].find(taken)
  return found ?? filled
}
