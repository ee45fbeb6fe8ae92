import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkFields } from '../field-rules/check-fields.ts'
import { compatible } from '../compatibility/compatible.ts'
import { compileInput, compileOutput, formatViolation } from './compile.ts'
import { comparableJson } from './equal-json.ts'
import type { Field, JsonObject, JsonValue } from './field.ts'
import { sample } from '../samples/sample.ts'
import { anyScalar, fieldOf, mapOf } from '../test-setup/any-fields.ts'

const anyField = fieldOf(3)
const anyMap = mapOf(3)
const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value): JsonValue => JSON.parse(JSON.stringify(value)))
const anyInput = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'toString', '__proto__'), anyJson)
  .map((input): JsonObject => JSON.parse(JSON.stringify(input)))

test('random fields are valid fields', () => {
  fc.assert(fc.property(anyMap, fields => checkFields(fields, [], { side: 'input' }).length === 0))
})

describe('compileInput', () => {
  test('never throws, never changes its argument, and accepts nothing undeclared', () => {
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

  test('accepts its own result and returns it unchanged', () => {
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

  test('VAL-14 never throws, and accepted values survive JSON unchanged', () => {
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

  test('accepts every JSON value in free fields, as a copy', () => {
    fc.assert(
      fc.property(anyJson, value => {
        const result = compileOutput({ a: { type: 'array' } })({ a: [value] })
        expect(result).toEqual({ ok: true, value: { a: [value] }, dropped: [] })
      }),
    )
  })
})

describe('sample', () => {
  test.each(['input', 'output'] as const)('its sample is accepted as an %s', side => {
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

  test('the check confirms the grades same, safe and impossible', () => {
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

/** Empty arrays and absent properties are accepted where their contents would not be. */
function mayBeEmpty(field: Field): boolean {
  if (field.type === 'array')
    return (field.minItems ?? 0) === 0 || (field.items !== undefined && mayBeEmpty(field.items))
  return field.type === 'object'
}
