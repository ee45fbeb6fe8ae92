import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readPrice } from '../money/usdc.ts'
import { checkDeclaration } from './check-declaration.ts'

const PERMISSION = { type: 'EXECUTE_TRANSACTIONS', reason: 'Buys', token: 'USDC', max_per_transaction: '5' }

function capability(changes: object = {}): object {
  return {
    description: 'Counts words',
    pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
    input_schema: { text: { type: 'string' } },
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

/** The fix of each problem. */
function fixesOf(value: unknown): readonly string[] {
  const checked = checkDeclaration(value)
  return checked.ok ? [] : checked.problems.map(({ fix }) => fix)
}

function fixesOfField(
  field: unknown,
  side: 'input_schema' | 'output_schema' = 'input_schema',
): readonly string[] {
  return fixesOf(declaration({ capabilities: { count: capability({ [side]: { f: field } }) } }))
}

function fixesOfPrice(amount: unknown): readonly string[] {
  const pricing = { model: 'per_job', amount, currency: 'USDC' }
  return fixesOf(declaration({ capabilities: { count: capability({ pricing }) } }))
}

describe('D28 fixes for a declaration', () => {
  test.each<[object, string]>([
    [{ service_version: 1 }, 'write "1.0", in quotes'],
    [{ name: 7 }, 'put it in quotes: "7"'],
    [{ name: null }, 'write a text in quotes, such as "Word counter"'],
    [{ name: 'n'.repeat(65) }, 'shorten it by 1 character'],
    [{ name: undefined }, 'write a text in quotes, such as "Word counter"'],
    [
      { wallet: '0X15d34AAf54267DB7D7c367839AAf71A00a2C6A65' },
      'write "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65"',
    ],
    [{ wallet: 'a.eth' }, 'write the address that a.eth stands for'],
    [{ wallet: null }, 'write "${AGENT_WALLET_ADDRESS}" and set the address in the environment'],
    [{ max_deadline_seconds: '30' }, 'write 30, without quotes'],
    [{ max_deadline_seconds: 30_000 }, 'write 30: it is in seconds, not milliseconds'],
    [{ max_deadline_seconds: -1 }, 'write a number of seconds, such as 10'],
    [{ capabilities: [{ count: {} }] }, 'remove the brackets [ ] around it'],
    [{ capabilities: { count: capability({ permissions: PERMISSION }) } }, 'put brackets around it: [{ … }]'],
    [{ capabilities: { 7: capability() } }, 'begin it with a letter, for example "task_7"'],
    [{ nmae: 1 }, 'remove it: "name" is already there'],
    [{ tools: [] }, 'remove it: "capabilities" is already there'],
  ])('%j', (changes, fix) => {
    expect(fixesOf(declaration(changes))).toEqual([fix])
  })

  test('a mistyped key is one problem, not also a missing one', () => {
    const { name, capabilities, ...rest } = declaration() as { [key: string]: unknown }
    expect(fixesOf({ ...rest, Name: name, skills: capabilities })).toEqual([
      'rename it to "name"',
      'rename it to "capabilities"',
    ])
  })

  test('each required key that is missing can be pasted from its fix, and is valid', () => {
    const missing = fixesOf(declaration({ capabilities: { count: { pricing: {} } } }))
    expect(missing).toHaveLength(6)
    for (const fix of missing) expect(JSON.parse(`{${fix.replace(/^add /, '')}}`)).toEqual(expect.any(Object))
    const pasted = missing.map(fix => JSON.parse(`{${fix.replace(/^add /, '')}}`) as object)
    const [description, model, amount, currency, input, output] = pasted
    const count = { ...description, pricing: { ...model, ...amount, ...currency }, ...input, ...output }
    expect(fixesOf(declaration({ capabilities: { count } }))).toEqual([])
  })
})

describe('D1 fixes for a price', () => {
  test.each<[unknown, string]>([
    ['0,01', 'write "0.01"'],
    [0.01, 'write "0.01", in quotes'],
    ['$5', 'write "5"'],
    ['5 USDC', 'write "5"'],
    ['.5', 'write "0.5"'],
    ['5.', 'write "5"'],
    ['007', 'write "7"'],
    ['1,000', 'write "1000" or "1.000", whichever is meant'],
    ['01,000', 'write "1000" or "1.000", whichever is meant'],
    ['00,000', 'write "0.000001" or more: a job cannot be free'],
    ['0,001', 'write "0.001"'],
    ['0.1234567', 'write "0.123456"'],
    ['0', 'write "0.000001" or more: a job cannot be free'],
    [1e-9, 'write "0.000001" or more: a job cannot be free'],
    ['-5', 'write a decimal in quotes, such as "0.01"'],
    ['free', 'write a decimal in quotes, such as "0.01"'],
    ['9'.repeat(41), 'write a decimal in quotes, such as "0.01"'],
    [{}, 'write the amount in quotes, such as "0.01"'],
  ])('%j', (amount, fix) => {
    expect(fixesOfPrice(amount)).toEqual([fix])
  })

  test('a proposed price is a valid price', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.stringMatching(/^[$ ]?[\d.,]{0,9}( ?USDC)?$/), fc.double(), fc.string()),
        amount => {
          for (const fix of fixesOfPrice(amount)) {
            for (const [, written] of fix.matchAll(/"([\d.]+)"/g))
              expect(readPrice(written).ok, fix).toBe(true)
          }
        },
      ),
    )
  })
})

describe('D18 fixes for a field', () => {
  test.each<[unknown, string]>([
    ['int', 'write { "type": "integer" }'],
    [{}, 'add "type": "string"'],
    [{ maximum: 5 }, 'add "type": "number"'],
    [{ properties: {} }, 'add "type": "object"'],
    [{ type: 'date' }, 'write "string", and add "format": "date"'],
    [{ type: 'null' }, 'write one of them'],
    [
      { type: ['integer', 'null'] },
      'write one type, such as "integer", and leave the field out instead of sending null',
    ],
    [{ type: 'string', minlength: 1 }, 'rename it to "minLength"'],
    [{ type: 'string', minLength: 1, minlength: 1 }, 'remove it: "minLength" is already there'],
    [{ type: 'string', max: 1 }, 'rename it to "maxLength"'],
    [{ type: 'number', max: 1 }, 'rename it to "maximum"'],
    [{ type: 'boolean', max: 1 }, 'remove it'],
    [{ type: 'array', minLength: 1 }, 'write "minItems" instead, or make the type "string"'],
    [{ type: 'boolean', pattern: 'a' }, 'remove it, or make the type "string"'],
    [{ type: 'string', const: 'a' }, 'write "enum": ["a"]'],
    [{ type: 'string', example: 'a' }, 'write "examples": ["a"]'],
    [{ type: 'object', const: {} }, 'write "enum": [ … ] with that value'],
    [{ type: 'string', required: 'yes' }, 'write true, without quotes'],
    [{ type: 'string', required: 5 }, 'write true or false'],
    [{ type: 'string', minLength: '5' }, 'write 5, without quotes'],
    [{ type: 'string', minLength: 1.5 }, 'write 1 or 2'],
    [{ type: 'string', minLength: '-5' }, 'write 0 or more'],
    [{ type: 'number', minimum: '1.5' }, 'write 1.5, without quotes'],
    [{ type: 'number', minimum: 'low' }, 'write a number'],
    [{ type: 'string', enum: [] }, 'list the values, or remove it'],
    [{ type: 'string', examples: 'a' }, 'write ["a"]'],
    [{ type: 'string', description: 5 }, 'put it in quotes: "5"'],
    [
      { type: 'array', minItems: 3, maxItems: 2 },
      'raise maxItems to 3 or more, or lower minItems to 2 or less',
    ],
    [
      { type: 'string', pattern: '(a)\\1' },
      'write it without back-references, or check that part in the handler',
    ],
    [{ type: 'string', pattern: 'a'.repeat(258) }, 'shorten it by 2 characters, or check it in the handler'],
    [{ type: 'string', format: 'datetime' }, 'write "date-time"'],
    [{ type: 'boolean', default: 'true' }, 'write true'],
    [{ type: 'string', default: 5 }, 'write "5"'],
    [{ type: 'array', default: {} }, 'write a value of type array, or change the type'],
    [{ type: 'string', maxLength: 1, default: 'ab' }, 'shorten the text, or raise "maxLength"'],
    [{ type: 'string', format: 'email', default: 'a' }, 'change the text, or "format"'],
    [
      { type: 'array', items: { type: 'string' }, default: [1] },
      'change the value, or what the field says of its contents',
    ],
  ])('%j', (field, fix) => {
    expect(fixesOfField(field)).toEqual([fix])
  })

  test('for a whole JSON Schema it explains the meaning of an absent "required" for the side', () => {
    const schema = { type: 'object', properties: { a: {}, b: {}, c: {}, d: {} } }
    const wholes = ['input_schema', 'output_schema'].map(side =>
      fixesOf(declaration({ capabilities: { count: capability({ [side]: schema }) } })),
    )
    expect(wholes).toEqual([
      [
        'write { "a": { … }, "b": { … }, "c": { … }, … }, with "required": true within each field that must be there',
      ],
      [
        'write { "a": { … }, "b": { … }, "c": { … }, … }, with "required": false within each field that may be missing',
      ],
    ])
  })
})

test('each problem has a fix on one line, without a full stop, and not too long', () => {
  const anyValue = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('string', 'int', '0,01', '', 'x'.repeat(2_000), -1, 1e9),
  )
  const anyField = fc.dictionary(
    fc.constantFrom(
      'type',
      'required',
      'enum',
      'pattern',
      'format',
      'minLength',
      'minimum',
      'default',
      'of',
      'const',
    ),
    anyValue,
  )
  const anyCapability = fc.record(
    {
      pricing: fc.dictionary(fc.constantFrom('amount', 'price', 'x'), anyValue),
      input_schema: fc.dictionary(fc.string(), fc.oneof(anyField, anyValue)),
      permissions: anyValue,
    },
    { requiredKeys: [] },
  )
  const anyDeclaration = fc.record(
    {
      name: anyValue,
      wallet: anyValue,
      max_deadline_seconds: anyValue,
      extra: anyValue,
      capabilities: fc.oneof(anyValue, fc.dictionary(fc.string(), anyCapability)),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(anyDeclaration, value => {
      for (const fix of fixesOf(value)) {
        expect(fix).toMatch(/^\w[^\n]*[^.\s]$/)
        expect(fix.length).toBeLessThan(300)
      }
    }),
    { numRuns: 500 },
  )
})
