import { describe, expect, test } from 'vitest'
import { formatPath } from '../problems/problem.ts'
import { MAX_FIELD_DEPTH, MAX_SCHEMA_FIELDS } from '../limits.ts'
import { checkFields } from './check-fields.ts'
import { FORMATS } from '../fields/formats.ts'
import { growth, LINEAR } from '../test-setup/cpu-ratio.ts'

/** Every problem as one line, path first. */
function problemsOf(value: unknown, side: 'input' | 'output' = 'input'): string[] {
  return checkFields(value, ['s'], { side }).map(({ path, reason }) => `${formatPath(path)}: ${reason}`)
}

/** The problems of one field called `f`. */
function fieldProblems(field: unknown, side: 'input' | 'output' = 'input'): string[] {
  return problemsOf({ f: field }, side)
}

test('D18 every type with every allowed keyword is valid', () => {
  const common = { required: true, title: 'T', description: 'D' }
  const fields = {
    s: {
      type: 'string',
      ...common,
      examples: ['ab'],
      default: 'ab',
      enum: ['ab', 'cd'],
      minLength: 1,
      maxLength: 2,
    },
    p: { type: 'string', pattern: '^[a-z]+$', format: 'hostname', examples: ['localhost'] },
    n: { type: 'number', ...common, minimum: -1.5, maximum: 1.5, default: 0, enum: [0, 1.5] },
    i: { type: 'integer', minimum: 0, maximum: 0 },
    b: { type: 'boolean', ...common, enum: [true] },
    a: {
      type: 'array',
      items: { type: 'array', items: { type: 'string' } },
      minItems: 0,
      maxItems: 2,
      default: [['x']],
    },
    o: { type: 'object', properties: { toString: { type: 'string' } }, examples: [{ toString: 'x' }] },
    constructor: { type: 'object', default: { any: [null] } },
  }
  expect(problemsOf(fields)).toEqual([])
  for (const format of FORMATS) expect(fieldProblems({ type: 'string', format })).toEqual([])
  expect(problemsOf({})).toEqual([])
})

describe('D18 keywords', () => {
  test.each<[unknown, string]>([
    [
      { type: 'string', minlength: 1 },
      's.f.minlength: unknown keyword "minlength", did you mean "minLength"?',
    ],
    [
      { type: 'string', descripton: 'x' },
      's.f.descripton: unknown keyword "descripton", did you mean "description"?',
    ],
    [
      { type: 'boolean', zebra: 1 },
      's.f.zebra: unknown keyword "zebra", known are type, required, title, description, examples, default, enum',
    ],
    [
      { type: 'number', minLength: 1 },
      's.f.minLength: keyword "minLength" is for the type string, this field is of type number',
    ],
    [
      { type: 'string', maximum: 1 },
      's.f.maximum: keyword "maximum" is for the type number or integer, this field is of type string',
    ],
    [{ type: 'string', oneOf: [] }, 's.f.oneOf: keyword "oneOf" of JSON Schema is not supported'],
    [
      { type: 'string', const: 'a' },
      's.f.const: keyword "const" of JSON Schema is not supported: use "enum" with one value',
    ],
    [{ type: 'string', constructor: 1 }, 's.f.constructor: unknown keyword "constructor", known are type,'],
    [
      { type: 'object', properties: {}, required: ['a', 'b'] },
      's.f.required: must be true or false: here "required" stands on the field itself, so set it on "a", "b" instead of a list',
    ],
    [{ type: 'string', required: 'yes' }, 's.f.required: must be true or false, got "yes"'],
    [{ type: 'string', required: { toString: 1 } }, 's.f.required: must be true or false, got an object'],
    [{ type: 'string', description: 1 }, 's.f.description: must be a string, got 1'],
    [{ type: 'string', minLength: -1 }, 's.f.minLength: must be a whole number of 0 or more, got -1'],
    [{ type: 'string', maxLength: 1.5 }, 's.f.maxLength: must be a whole number of 0 or more, got 1.5'],
    [{ type: 'array', minItems: '1' }, 's.f.minItems: must be a whole number of 0 or more, got "1"'],
    [{ type: 'number', minimum: '1' }, 's.f.minimum: must be a number, got "1"'],
    [
      { type: 'string', minLength: 2, maxLength: 1 },
      's.f.minLength: must not be above maxLength, got 2 and 1',
    ],
    [{ type: 'number', minimum: 2, maximum: 1 }, 's.f.minimum: must not be above maximum, got 2 and 1'],
    [{ type: 'array', minItems: 2, maxItems: 1 }, 's.f.minItems: must not be above maxItems, got 2 and 1'],
    [{ type: 'string', enum: [] }, 's.f.enum: must be an array of at least 1 value, got an array of 0 items'],
    [{ type: 'string', enum: 'a' }, 's.f.enum: must be an array of at least 1 value, got "a"'],
    [{ type: 'string', enum: ['a', 'b', 'a'] }, 's.f.enum[2]: is there twice'],
    [
      {
        type: 'object',
        enum: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      's.f.enum[1]: is there twice',
    ],
    [{ type: 'string', enum: ['a', 1] }, 's.f.enum[1]: must be a string, got 1'],
    [{ type: 'string', enum: ['a', null] }, 's.f.enum[1]: must be a string, got null'],
    [{ type: 'integer', enum: [1.5] }, 's.f.enum[0]: must be an integer, got 1.5'],
    [{ type: 'string', maxLength: 1, enum: ['ab'] }, 's.f.enum[0]: must be at most 1 character, got 2'],
    [{ type: 'number', default: '5' }, 's.f.default: must be a number, got "5"'],
    [{ type: 'string', enum: ['a'], default: 'b' }, 's.f.default: must be one of "a", got "b"'],
    [{ type: 'string', examples: 'a' }, 's.f.examples: must be an array, got "a"'],
    [
      {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string' } } },
        default: [{}, { a: 1 }],
      },
      's.f.default[1].a: must be a string, got 1',
    ],
    [
      { type: 'string', pattern: '(' },
      's.f.pattern: must be a regular expression in RE2 syntax: missing closing )',
    ],
    [{ type: 'string', pattern: 'a'.repeat(257) }, 's.f.pattern: must be at most 256 characters, got 257'],
    [{ type: 'string', format: 'Email' }, 's.f.format: unknown format "Email", did you mean "email"?'],
    [
      { type: 'string', format: 'regex' },
      `s.f.format: unknown format "regex", known are ${FORMATS.join(', ')}`,
    ],
  ])('%j is refused', (field, problem) => {
    const problems = fieldProblems(field)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
  })

  test('the rules for a default depend on the side', () => {
    const field = { type: 'object', properties: { a: { type: 'string' } }, default: {} }
    expect(fieldProblems(field, 'input')).toEqual([])
    expect(fieldProblems(field, 'output')).toEqual(['s.f.default.a: is required'])
  })
})

describe('D18 types', () => {
  const types = 'string, number, integer, boolean, array, object'
  test.each<[unknown, string]>([
    ['string', 's.f: must be an object such as { "type": "string" }, got "string"'],
    [null, 's.f: must be an object such as { "type": "string" }, got null'],
    [[], 's.f: must be an object such as { "type": "string" }, got an array of 0 items'],
    [{}, `s.f: needs a "type", one of ${types}`],
    [{ type: 'sting' }, `s.f.type: must be one of ${types}, got "sting", did you mean "string"?`],
    [{ type: 'toString' }, `s.f.type: must be one of ${types}, got "toString"`],
    [{ type: 'null' }, `s.f.type: must be one of ${types}, got "null"`],
    [{ type: ['string', 'null'] }, `s.f.type: must be one of ${types}, got an array of 2 items`],
    [{ type: 'array', items: [{ type: 'string' }] }, 's.f.items: must be an object such as'],
    [{ type: 'array', items: { type: 'x' } }, 's.f.items.type: must be one of'],
    [
      { type: 'object', properties: [] },
      's.f.properties: must be an object of fields, got an array of 0 items',
    ],
  ])('%j is refused', (field, problem) => {
    const problems = fieldProblems(field)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
  })

  test('a JSON Schema in place of the map is recognised', () => {
    expect(problemsOf({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })).toEqual([
      's: is a JSON Schema as a whole; write only its fields here, that is, what "properties" holds',
    ])
    expect(problemsOf({ type: { type: 'string' }, properties: { type: 'string' } })).toEqual([])
  })
})

describe('names', () => {
  test.each(['0', '1', '42', '4294967295'])('D28 the integer-like name %s is refused', name => {
    expect(problemsOf({ [name]: { type: 'string' } })).toHaveLength(1)
  })

  test('empty names and __proto__ are refused, at every depth', () => {
    expect(problemsOf({ '': { type: 'string' } })).toEqual(['s: holds a field without a name'])
    const text = '{"a":{"type":"object","properties":{"__proto__":{"type":"string"}}}}'
    expect(problemsOf(JSON.parse(text))).toHaveLength(1)
    expect(problemsOf(JSON.parse(text))[0]).toMatch(/^s\.a\.properties\.__proto__: must have another name/)
  })

  test('names that only look unusual are valid', () => {
    for (const name of ['01', '-1', '1.5', 'a b', 'toString', 'constructor', 'ключ', '😀']) {
      expect(problemsOf({ [name]: { type: 'string' } })).toEqual([])
    }
  })
})

test('problems come in declared order with precise paths', () => {
  const fields = {
    b: { type: 'strin' },
    a: {
      type: 'object',
      properties: { z: { type: 'array', items: { type: 'string', minItems: 1, foo: 2 } } },
    },
    c: { type: 'string', pattern: '[' },
  }
  expect(
    checkFields(fields, ['capabilities', 'x', 'input_schema'], { side: 'input' }).map(({ path }) => path),
  ).toEqual([
    ['capabilities', 'x', 'input_schema', 'b', 'type'],
    ['capabilities', 'x', 'input_schema', 'a', 'properties', 'z', 'items', 'minItems'],
    ['capabilities', 'x', 'input_schema', 'a', 'properties', 'z', 'items', 'foo'],
    ['capabilities', 'x', 'input_schema', 'c', 'pattern'],
  ])
})

describe('VAL-18 hostile schemas', () => {
  test.each<[unknown, string]>([
    [null, 's: must be an object of fields, got null'],
    [undefined, 's: must be a JSON value, got undefined'],
    [[], 's: must be an object of fields, got an array of 0 items'],
    ['x', 's: must be an object of fields, got "x"'],
    [new Map(), 's: must be plain JSON data, got an instance of Map'],
    [{ f: { type: 'string', default: () => 1 } }, 's.f.default: must be a JSON value, got a function'],
    [{ f: { type: 'number', minimum: Number.NaN } }, 's.f.minimum: must be a JSON value, got NaN'],
  ])('%s is refused', (value, problem) => {
    expect(problemsOf(value)).toEqual([problem])
  })

  test('ten thousand fields', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`f${index}`, { type: 'string' }]),
    )
    expect(problemsOf(fields)).toEqual([
      `s: must hold at most ${MAX_SCHEMA_FIELDS} fields, nested ones included`,
    ])
  })

  test('nesting', () => {
    const nest = (levels: number): object => {
      let field: object = { type: 'string' }
      for (let level = 1; level < levels; level += 1) field = { type: 'array', items: field }
      return field
    }
    expect(fieldProblems(nest(MAX_FIELD_DEPTH))).toEqual([])
    expect(fieldProblems(nest(MAX_FIELD_DEPTH + 1))[0]).toMatch(
      /items: must not be nested deeper than 16 levels$/,
    )
    expect(fieldProblems(nest(10_000))[0]).toMatch(/must not be nested deeper than 64 levels, or in itself$/)
  })

  test('cycles and shared parts terminate', () => {
    const cyclic: { [key: string]: unknown } = { type: 'object' }
    cyclic['properties'] = { again: cyclic }
    expect(fieldProblems(cyclic)[0]).toMatch(/nested deeper than 64 levels, or in itself$/)
    let shared: object = { type: 'string' }
    for (let level = 0; level < 15; level += 1)
      shared = { type: 'object', properties: { a: shared, b: shared } }
    expect(fieldProblems(shared).at(-1)).toBe('s: must hold at most 1000 fields, nested ones included')
  })

  test('getters and Proxies that throw', () => {
    const field = {
      get type(): never {
        throw new Error('secret')
      },
    }
    expect(fieldProblems(field)).toEqual([
      's.f.type: must be a JSON value, got a property that throws when it is read',
    ])
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    expect(fieldProblems(revoked.proxy)).toHaveLength(1)
  })

  test('the check of an enum takes time proportional to its length', () => {
    const check = (length: number): void => {
      const values = Array.from({ length }, (_, index) => index)
      expect(fieldProblems({ type: 'integer', enum: values })).toEqual([])
    }
    expect(growth(check, 25_000)).toBeLessThan(LINEAR)
  })
})
