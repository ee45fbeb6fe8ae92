import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFields } from '../field-rules/check-fields.ts'
import { compatible } from '../compatibility/compatible.ts'
import { compileInput, compileOutput, formatViolation } from './compile.ts'
import { comparableJson } from './equal-json.ts'
import {
  isFieldType,
  FIELD_KEYWORDS,
  type Field,
  type FieldMap,
  type JsonObject,
  type JsonValue,
} from './field.ts'
import { FORMATS } from './formats.ts'
import { sample } from '../samples/sample.ts'

const TYPES = Object.keys(FIELD_KEYWORDS).filter(isFieldType)
const PATTERNS = ['^[a-z]+$', '^\\d{3}$', 'a', '', '^x*$', '^(foo|bar)-?\\w{2,}$']

/** Two numbers in order, for a pair of bounds. */
const bounds = fc.tuple(fc.nat(8), fc.nat(8)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)

/** Any field that checkFields finds nothing wrong with, `depth` levels deep at most. */
function fieldOf(depth: number): fc.Arbitrary<Field> {
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

function mapOf(depth: number): fc.Arbitrary<FieldMap> {
  return fc.dictionary(fc.constantFrom('a', 'b', 'toString', 'constructor'), fieldOf(depth), { maxKeys: 3 })
}

const anyScalar = fc.oneof(fc.integer({ min: -9, max: 9 }), fc.string({ maxLength: 4 }), fc.boolean())
const anyField = fieldOf(3)

interface Ingredients extends Field {
  readonly length?: readonly [number, number]
  readonly range?: readonly [number, number]
  readonly size?: readonly [number, number]
}

/** Keeps what goes with the type, and only values the field itself would take. */
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

const anyMap = mapOf(3)
const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)))
const anyInput = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'toString', '__proto__'), anyJson)
  .map((input): JsonObject => JSON.parse(JSON.stringify(input)))

test('random fields are fields', () => {
  fc.assert(fc.property(anyMap, fields => checkFields(fields, [], { side: 'input' }).length === 0))
})

describe('compileInput', () => {
  test('never throws, never changes its argument, and lets nothing undeclared through', () => {
    fc.assert(
      fc.property(anyMap, anyInput, (fields, input) => {
        const before = JSON.stringify(input)
        const result = compileInput(fields)(input)
        expect(JSON.stringify(input)).toBe(before)
        if (!result.ok) {
          expect(formatViolation(result.violation)).toMatch(/^\w+.*: ./s)
          return
        }
        expect(Object.keys(result.value).every(name => Object.hasOwn(fields, name))).toBe(true)
        expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype)
      }),
      { numRuns: 500 },
    )
  })

  test('takes its own result and gives it back unchanged', () => {
    fc.assert(
      fc.property(anyMap, anyInput, (fields, input) => {
        const check = compileInput(fields)
        const result = check(input)
        if (result.ok) expect(check(result.value)).toEqual(result)
      }),
      { numRuns: 500 },
    )
  })
})

describe('compileOutput', () => {
  const anyOutput = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
  })

  test('VAL-14 never throws, and what it lets through survives JSON unchanged', () => {
    fc.assert(
      fc.property(anyMap, fc.dictionary(fc.constantFrom('a', 'b', 'c'), anyOutput), (fields, output) => {
        const result = compileOutput(fields)(output)
        if (result.ok)
          expect(comparableJson(JSON.parse(JSON.stringify(result.value)))).toBe(comparableJson(result.value))
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(anyOutput, output => {
        const result = compileOutput({ a: { type: 'object' } })({ a: output })
        if (result.ok)
          expect(comparableJson(JSON.parse(JSON.stringify(result.value)))).toBe(comparableJson(result.value))
      }),
      { numRuns: 500 },
    )
  })

  test('takes every JSON value in free fields, as a copy', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const result = compileOutput({ a: { type: 'array' } })({ a: [value] })
        expect(result).toEqual({ ok: true, value: { a: [value] }, dropped: [] })
      }),
    )
  })
})

describe('sample', () => {
  test.each(['input', 'output'] as const)('what it makes is accepted as an %s', side => {
    let made = 0
    fc.assert(
      fc.property(anyMap, fields => {
        const result = sample(fields, side)
        if (!result.ok) {
          expect(formatViolation(result.violation)).toMatch(/: ./)
          return
        }
        made += 1
        const check = side === 'input' ? compileInput(fields) : compileOutput(fields)
        expect(check(result.value).ok).toBe(true)
        expect(sample(fields, side)).toEqual(result)
      }),
      { numRuns: 500 },
    )
    expect(made).toBeGreaterThan(200)
  })
})

describe('compatible', () => {
  const anyPair = fc.oneof(
    fc.tuple(anyField, anyField),
    anyField.map((field): [Field, Field] => [field, field]),
    fc.tuple(fieldOf(1), fieldOf(1)),
    fieldOf(2).map((field): [Field, Field] => [field, { type: 'string' }]),
  )

  test('same, safe and impossible are promises the check keeps', () => {
    const seen = { same: 0, safe: 0, lossy: 0, impossible: 0 }
    fc.assert(
      fc.property(anyPair, fc.array(anyScalar, { minLength: 10 }), ([output, input], scalars) => {
        const { grade } = compatible(output, input)
        const made = sample({ f: output }, 'output')
        const checkOutput = compileOutput({ f: output })
        const checkInput = compileInput({ f: input })
        for (const candidate of [...(made.ok ? [made.value['f']] : []), ...scalars]) {
          const produced = checkOutput({ f: candidate })
          if (!produced.ok || !Object.hasOwn(produced.value, 'f')) continue
          seen[grade] += 1
          const taken = checkInput(produced.value)
          if (grade === 'same' || grade === 'safe') expect(taken.ok).toBe(true)
          if (grade === 'impossible' && !mayBeEmpty(output)) expect(taken.ok).toBe(false)
          if (grade === 'same' && taken.ok)
            expect(comparableJson(taken.value)).toBe(comparableJson(produced.value))
        }
      }),
      { numRuns: 1_500 },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20)
  })
})

/** Empty arrays and properties left out get through where their contents would not. */
function mayBeEmpty(field: Field): boolean {
  if (field.type === 'array')
    return (field.minItems ?? 0) === 0 || (field.items !== undefined && mayBeEmpty(field.items))
  return field.type === 'object'
}
