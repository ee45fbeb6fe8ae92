import { describe, expect, test } from 'vitest'
import { compileInput, formatViolation } from './compile.ts'
import type { FieldMap, JsonObject, JsonValue } from './field.ts'
import { cpuRatio } from '../test-setup/cpu-ratio.ts'

/** The message for the caller, or undefined for an accepted input. */
function messageOf(fields: FieldMap, input: JsonObject): string | undefined {
  const result = compileInput(fields)(input)
  return result.ok ? undefined : formatViolation(result.violation)
}

/** The checked input. */
function valueOf(fields: FieldMap, input: JsonObject): JsonObject {
  const result = compileInput(fields)(input)
  if (!result.ok) throw new Error(formatViolation(result.violation))
  return result.value
}

/** Parsed from JSON, which may create an own `__proto__`. */
function parse(text: string): JsonObject {
  return JSON.parse(text)
}

describe('D21 messages', () => {
  const fields: FieldMap = {
    text: { type: 'string', required: true, minLength: 1, maxLength: 3 },
    amount: { type: 'number', minimum: 0, maximum: 10 },
    whole: { type: 'integer' },
    flag: { type: 'boolean' },
    kind: { type: 'string', enum: ['a', 'b'] },
    code: { type: 'string', pattern: '^[a-z]+$' },
    site: { type: 'string', format: 'uri' },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: { type: 'object', properties: { name: { type: 'string', required: true } } },
    },
    free: { type: 'object' },
  }

  test.each<[JsonObject, string]>([
    [{}, 'text: is required'],
    [{ text: '' }, 'text: must be at least 1 character, got 0'],
    [{ text: 'abcd' }, 'text: must be at most 3 characters, got 4'],
    [{ text: null }, 'text: must be a string, got null'],
    [{ text: [1, 2] }, 'text: must be a string, got an array of 2 items'],
    [{ text: 'a', amount: 'abc' }, 'amount: must be a number, got "abc"'],
    [{ text: 'a', amount: -1 }, 'amount: must be at least 0, got -1'],
    [{ text: 'a', amount: '10.5' }, 'amount: must be at most 10, got 10.5'],
    [{ text: 'a', whole: 1.5 }, 'whole: must be an integer, got 1.5'],
    [{ text: 'a', flag: 'yes' }, 'flag: must be a boolean, got "yes"'],
    [{ text: 'a', kind: 'c' }, 'kind: must be one of "a", "b", got "c"'],
    [{ text: 'a', code: 'A1' }, 'code: must match the pattern ^[a-z]+$, got "A1"'],
    [{ text: 'a', site: 'x' }, 'site: must be a valid uri such as "https://example.org/", got "x"'],
    [{ text: 'a', items: [] }, 'items: must have at least 1 item, got 0'],
    [{ text: 'a', items: {} }, 'items: must be an array, got an object'],
    [{ text: 'a', items: [{ name: 'a' }, { name: 'b' }, {}] }, 'items[2].name: is required'],
    [{ text: 'a', items: [{ name: 'a' }, 'b'] }, 'items[1]: must be an object, got "b"'],
    [{ text: 'a', items: [1, 2, 3, 4] }, 'items: must have at most 3 items, got 4'],
    [{ text: 'a', free: [] }, 'free: must be an object, got an array of 0 items'],
  ])('%j is answered with %j', (input, message) => {
    expect(messageOf(fields, input)).toBe(message)
  })

  test('report the first violation in declared order, not in the order sent', () => {
    expect(messageOf(fields, { flag: 'no', amount: 'x', text: '' })).toMatch(/^text: /)
    expect(messageOf(fields, { flag: 'no', amount: 'x', text: 'a' })).toMatch(/^amount: /)
  })

  test('never echo a long value, and escape what could forge a log line', () => {
    const long = messageOf(fields, { text: 'a', amount: 'x'.repeat(50_000) })
    expect(long).toBe(`amount: must be a number, got "${'x'.repeat(40)}"… (50000 characters)`)
    expect(messageOf(fields, { text: 'a', amount: 'a\nb\u0000' })).toBe(
      'amount: must be a number, got "a\\nb\\u0000"',
    )
    expect(messageOf(fields, { text: 'a', amount: '\ud800' })).toBe('amount: must be a number, got "\\ud800"')
    const many: FieldMap = {
      pick: { type: 'string', enum: Array.from({ length: 500 }, (_, index) => `v${index}`) },
    }
    expect(messageOf(many, { pick: 'x' })).toMatch(/"v9" and 490 more, got "x"$/)
  })
})

describe('D19 coercion', () => {
  test('happens before constraints, at every depth', () => {
    const fields: FieldMap = {
      price: { type: 'number', minimum: 1, maximum: 2 },
      id: { type: 'string', maxLength: 2 },
      scores: { type: 'array', items: { type: 'integer' } },
      deep: { type: 'object', properties: { on: { type: 'boolean' } } },
      level: { type: 'integer', enum: [1, 2] },
    }
    const input = { price: '1.5', id: 12, scores: ['1', 2, '3e1'], deep: { on: 'true' }, level: '2' }
    expect(valueOf(fields, input)).toEqual({
      price: 1.5,
      id: '12',
      scores: [1, 2, 30],
      deep: { on: true },
      level: 2,
    })
    expect(messageOf(fields, { id: 123 })).toBe('id: must be at most 2 characters, got 3')
    expect(messageOf(fields, { level: '3' })).toBe('level: must be one of 1, 2, got 3')
  })

  test('does not change arrays without items and objects without properties', () => {
    const fields: FieldMap = { list: { type: 'array' }, map: { type: 'object' } }
    const input = { list: ['1', null, { a: [] }], map: { a: null, b: { c: '1' } } }
    expect(valueOf(fields, input)).toEqual(input)
    expect(valueOf(fields, input)['map']).toBe(input.map)
  })
})

describe('D20 undeclared, absent and defaulted', () => {
  test('removes undeclared fields at every declared level', () => {
    const fields: FieldMap = {
      a: { type: 'object', properties: { b: { type: 'array', items: { type: 'object', properties: {} } } } },
    }
    expect(valueOf(fields, { a: { b: [{ x: 1 }], y: 2 }, z: 3 })).toEqual({ a: { b: [{}] } })
  })

  test('null is a value, not an absence', () => {
    expect(messageOf({ a: { type: 'string' } }, { a: null })).toBe('a: must be a string, got null')
  })

  test('fills in defaults, nested ones too, copied for each job', () => {
    const fields: FieldMap = {
      limit: { type: 'integer', default: 10 },
      tags: { type: 'array', default: ['x'] },
      page: { type: 'object', default: {}, properties: { size: { type: 'integer', default: 5 } } },
      other: { type: 'object', properties: { size: { type: 'integer', default: 5 } } },
    }
    const check = compileInput(fields)
    const first = check({})
    const second = check({})
    expect(first).toEqual({ ok: true, value: { limit: 10, tags: ['x'], page: { size: 5 } } })
    if (!first.ok || !second.ok) throw new Error('expected both to pass')
    expect(first.value['tags']).not.toBe(second.value['tags'])
    expect(first.value['tags']).not.toBe(fields['tags']?.default)
  })

  test('a required field is missing even if it has a default', () => {
    expect(messageOf({ a: { type: 'string', required: true, default: 'x' } }, {})).toBe('a: is required')
  })

  test('does not change its argument', () => {
    const fields: FieldMap = { a: { type: 'number' }, b: { type: 'array', items: { type: 'number' } } }
    const input = { a: '1', b: Object.freeze(['1']), c: 1 }
    Object.freeze(input)
    expect(valueOf(fields, parse(JSON.stringify(input)))).toEqual({ a: 1, b: [1] })
    expect(compileInput(fields)({ ...input, b: [...input.b] }).ok).toBe(true)
    expect(input).toEqual({ a: '1', b: ['1'], c: 1 })
  })
})

describe('names of Object.prototype', () => {
  const inherited = ['toString', 'constructor', 'hasOwnProperty', 'valueOf', '__defineGetter__']

  test.each(inherited)('VAL-03 a required field called %s is missing from {}', name => {
    expect(messageOf({ [name]: { type: 'string', required: true } }, {})).toBe(`${name}: is required`)
    expect(valueOf({ [name]: { type: 'string' } }, {})).toEqual({})
    expect(valueOf({ [name]: { type: 'string' } }, { [name]: 'x' })).toEqual({ [name]: 'x' })
  })

  test('VAL-01 __proto__ from the wire changes no prototype', () => {
    const fields: FieldMap = parseFields('{"__proto__":{"type":"object"},"free":{"type":"object"}}')
    const input = parse(
      '{"__proto__":{"polluted":1},"free":{"__proto__":{"polluted":1}},"constructor":{"prototype":{}}}',
    )
    const value = valueOf(fields, input)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(value)).toEqual(['__proto__', 'free'])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(Reflect.get(value, 'polluted')).toBeUndefined()
  })
})

function parseFields(text: string): FieldMap {
  return JSON.parse(text)
}

describe('VAL-08 lengths count code points', () => {
  const family = '👩‍👩‍👧‍👦'
  test.each<[string, number]>([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    [family, 7],
    ['\ud800', 1],
    ['\udc00\ud800', 2],
    ['\ud83d\ud83d\ude00', 2],
  ])('%j is %d long', (text, length) => {
    expect(
      messageOf({ t: { type: 'string', minLength: length, maxLength: length } }, { t: text }),
    ).toBeUndefined()
    expect(messageOf({ t: { type: 'string', minLength: length + 1 } }, { t: text })).toMatch(
      `, got ${length}`,
    )
    if (length === 0) return
    expect(messageOf({ t: { type: 'string', maxLength: length - 1 } }, { t: text })).toMatch(
      `, got ${length}`,
    )
  })
})

test('VAL-09 lone surrogates, NUL, bidi and newlines are data', () => {
  const text = 'a\ud800\u0000\u202e\r\n\u2028'
  expect(valueOf({ t: { type: 'string' } }, { t: text })).toEqual({ t: text })
})

test('D18 a text too long for its pattern is refused with that reason', () => {
  const fields: FieldMap = { t: { type: 'string', pattern: '^[ab]{900}' } }
  expect(messageOf(fields, { t: 'a'.repeat(2_000) })).toBeUndefined()
  expect(messageOf(fields, { t: 'a'.repeat(1_000_000) })).toMatch(
    /^t: must be at most \d+ characters long to be matched against its pattern, got 1000000$/,
  )
})

test('enum compares arrays and objects by value', () => {
  const fields: FieldMap = {
    o: { type: 'object', enum: [{ a: 1, b: [2] }] },
    l: { type: 'array', enum: [[], [1]] },
  }
  expect(messageOf(fields, { o: { b: [2], a: 1 }, l: [1] })).toBeUndefined()
  expect(messageOf(fields, { o: { a: 1, b: [3] } })).toBe(
    'o: must be one of "{\\"a\\":1,\\"b\\":[2]}", got an object',
  )
  expect(messageOf(fields, { l: [2] })).toMatch(/^l: must be one of/)
})

test('the check of a small valid input costs little more than serializing it as JSON', () => {
  const check = compileInput({ text: { type: 'string', required: true, minLength: 1, maxLength: 100 } })
  const input: { [key: string]: JsonValue } = { text: 'hello world' }
  const often = (work: () => unknown) => (): void => {
    for (let index = 0; index < 50_000; index += 1) work()
  }
  const ratio = cpuRatio(
    often(() => check(input)),
    often(() => JSON.stringify(input)),
    20,
  )
  expect(ratio).toBeLessThan(20)
})
