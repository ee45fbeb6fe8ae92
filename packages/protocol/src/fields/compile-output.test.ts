import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { compileOutput, formatViolation, type OutputResult } from './compile.ts'
import type { FieldMap } from './field.ts'

const anything: FieldMap = { result: { type: 'object' } }
const list: FieldMap = { result: { type: 'array' } }

function messageOf(result: OutputResult): string | undefined {
  return result.ok ? undefined : formatViolation(result.violation)
}

class Account {
  total = 1
}

describe('D20 presence', () => {
  const fields: FieldMap = { count: { type: 'integer' }, note: { type: 'string', required: false } }
  const check = compileOutput(fields)

  test('every declared field must be present unless required is false', () => {
    expect(check({ count: 1 })).toEqual({ ok: true, value: { count: 1 }, dropped: [] })
    expect(messageOf(check({ note: 'a' }))).toBe('count: is required')
    expect(messageOf(check({ count: undefined }))).toBe('count: is required')
  })

  test('an optional field that is undefined is absent, one that is null is not', () => {
    expect(check({ count: 1, note: undefined })).toEqual({ ok: true, value: { count: 1 }, dropped: [] })
    expect(messageOf(check({ count: 1, note: null }))).toBe('note: must be a string, got null')
  })

  test('required holds for nested properties too', () => {
    const nested = compileOutput({ page: { type: 'object', properties: { size: { type: 'integer' } } } })
    expect(messageOf(nested({ page: {} }))).toBe('page.size: is required')
  })

  test('a default does not replace a missing output', () => {
    expect(messageOf(compileOutput({ a: { type: 'integer', default: 1 } })({}))).toBe('a: is required')
  })

  test('undeclared fields are removed and reported with their path', () => {
    const nested = compileOutput({
      rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
    })
    const result = nested({ rows: [{ id: 1 }, { id: 2, secret: 'x' }], debug: () => 1 })
    expect(result).toEqual({
      ok: true,
      value: { rows: [{ id: 1 }, { id: 2 }] },
      dropped: ['rows[1].secret', 'debug'],
    })
  })

  test('only the first removed fields are reported', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`extra${index}`, index]))
    const result = check({ count: 1, ...many })
    expect(result.ok && result.dropped.length).toBe(20)
  })

  test('inherited properties are absent', () => {
    const fields: FieldMap = Object.fromEntries([['toString', { type: 'string' }]])
    expect(messageOf(compileOutput(fields)({}))).toBe('toString: is required')
  })
})

test('D19 outputs are never coerced', () => {
  const check = compileOutput({
    n: { type: 'number', required: false },
    s: { type: 'string', required: false },
  })
  expect(messageOf(check({ n: '1.5' }))).toBe('n: must be a number, got "1.5"')
  expect(messageOf(check({ s: 1 }))).toBe('s: must be a string, got 1')
})

describe('VAL-14 an output is plain JSON data', () => {
  const cycle: { [key: string]: unknown } = { a: 1 }
  cycle['self'] = cycle
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const throwing = {
    get boom(): never {
      throw new Error('secret')
    },
  }
  const proxyThrowing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('secret')
      },
    },
  )
  const toJson = { a: 1, toJSON: () => 'x' }

  test.each<[string, unknown, string]>([
    ['NaN', { x: Number.NaN }, 'result.x: must be a JSON value, got NaN'],
    ['Infinity', { x: [Number.POSITIVE_INFINITY] }, 'result.x[0]: must be a JSON value, got Infinity'],
    ['a function', { x: () => 1 }, 'result.x: must be a JSON value, got a function'],
    ['a symbol', { x: Symbol('s') }, 'result.x: must be a JSON value, got a symbol'],
    ['a BigInt', { x: 1n }, 'result.x: must be a JSON value, got a BigInt'],
    ['undefined in an array', { x: [undefined] }, 'result.x[0]: must be a JSON value, got undefined'],
    // oxlint-disable-next-line no-sparse-arrays
    ['a hole', { x: [1, , 3] }, 'result.x[1]: must be a JSON value, got undefined'],
    [
      'a Date',
      { x: new Date() },
      'result.x: must be plain JSON data, got an instance of Date with a toJSON method',
    ],
    ['a Map', { x: new Map() }, 'result.x: must be plain JSON data, got an instance of Map'],
    ['a Set', { x: new Set() }, 'result.x: must be plain JSON data, got an instance of Set'],
    [
      'a typed array',
      { x: new Uint8Array(3) },
      'result.x: must be plain JSON data, got an instance of Uint8Array',
    ],
    [
      'a class instance',
      { x: new Account() },
      'result.x: must be plain JSON data, got an instance of Account',
    ],
    ['a boxed string', { x: Object('a') }, 'result.x: must be plain JSON data, got an instance of String'],
    ['toJSON', { x: toJson }, 'result.x: must be plain JSON data, got an object with a toJSON method'],
    [
      'a throwing getter',
      throwing,
      'result.boom: must be a JSON value, got a property that throws when it is read',
    ],
    [
      'a revoked Proxy',
      { x: revoked.proxy },
      'result.x: must be plain JSON data, got an object that throws when it is read',
    ],
    [
      'a hostile Proxy',
      { x: proxyThrowing },
      'result.x: must be plain JSON data, got an object that throws when it is read',
    ],
  ])('refuses %s', (_, result, message) => {
    expect(messageOf(compileOutput(anything)({ result }))).toBe(message)
  })

  test('refuses a cycle by its depth', () => {
    const message = messageOf(compileOutput(anything)({ result: cycle }))
    expect(message).toMatch(/^result\.self.*: must not be nested deeper than 64 levels, or in itself$/)
  })

  test('D15 an output is at most 64 levels deep, its own included', () => {
    const nest = (levels: number): unknown => (levels === 0 ? 'x' : [nest(levels - 1)])
    expect(compileOutput(list)({ result: nest(63) }).ok).toBe(true)
    expect(compileOutput(list)({ result: nest(64) }).ok).toBe(false)
  })

  test('undefined properties of free objects are absent, as in JSON', () => {
    const result = compileOutput(anything)({ result: { a: 1, b: undefined } })
    expect(result.ok && Object.keys(Object(result.value['result']))).toEqual(['a'])
  })

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'output: must be an object, got undefined'],
    ['null', null, 'output: must be an object, got null'],
    ['a string', 'done', 'output: must be an object, got "done"'],
    ['an array', [1], 'output: must be a plain object, got an array of 1 item'],
    ['a Promise', Promise.resolve({}), 'output: must be a plain object, got an instance of Promise'],
    ['a class instance', new Account(), 'output: must be a plain object, got an instance of Account'],
    [
      'a revoked Proxy',
      revoked.proxy,
      'output: must be plain JSON data, got an object that throws when it is read',
    ],
    ['toJSON', toJson, 'output: must be a plain object, got an object with a toJSON method'],
  ])('refuses %s as a whole', (_, output, message) => {
    expect(messageOf(compileOutput({ result: { type: 'string', required: false } })(output))).toBe(message)
  })

  test('refuses typed fields whose value has another type', () => {
    expect(messageOf(compileOutput({ n: { type: 'number' } })({ n: Number.NaN }))).toBe(
      'n: must be a number, got NaN',
    )
    expect(messageOf(compileOutput({ n: { type: 'number' } })({ n: Object(1) }))).toMatch(
      /instance of Number$/,
    )
    expect(messageOf(compileOutput({ boom: { type: 'string' } })(throwing))).toMatch(
      /^boom: must be a string, got a prop/,
    )
    expect(messageOf(compileOutput(list)({ result: Object.assign([], { toJSON: () => 1 }) }))).toMatch(
      /^result: /,
    )
  })

  test('a huge sparse array and a Proxy with endless items are refused at once', () => {
    const endless = new Proxy([], {
      get: (_, key) => (key === 'length' ? 2 ** 53 : key === 'toJSON' ? undefined : 1),
    })
    const typed = compileOutput({ result: { type: 'array', items: { type: 'integer' } } })
    // A check of each item would never end.
    for (const check of [compileOutput(list), typed]) {
      expect(check({ result: Array(2 ** 32 - 1) }).ok).toBe(false)
      expect(messageOf(check({ result: endless }))).toBe('result: must hold at most 1000000 values in all')
    }
  })

  test('a graph with shared parts is refused before it grows without end', () => {
    let shared: unknown = [1, 1]
    for (let level = 0; level < 50; level += 1) shared = [shared, shared]
    expect(messageOf(compileOutput(list)({ result: shared }))).toMatch(
      /must hold at most 1000000 values in all$/,
    )
  })

  test('the checked value is the sent value: later values of a getter or Proxy do not matter', () => {
    let reads = 0
    const shifty = {
      get n(): unknown {
        reads += 1
        return reads === 1 ? 1 : 'changed'
      },
    }
    const result = compileOutput({ n: { type: 'integer' } })(shifty)
    expect(result).toEqual({ ok: true, value: { n: 1 }, dropped: [] })
    expect(reads).toBe(1)
    const nested = { a: { b: [1] } }
    const copied = compileOutput(anything)({ result: nested })
    nested.a.b.push(2)
    expect(copied).toEqual({ ok: true, value: { result: { a: { b: [1] } } }, dropped: [] })
  })

  test('accepts plain objects without prototype and of another realm', () => {
    const bare: unknown = Object.assign(Object.create(null), { a: 1 })
    expect(compileOutput(anything)({ result: bare }).ok).toBe(true)
    expect(compileOutput(anything)(runInNewContext('({ result: { a: [1] } })'))).toEqual({
      ok: true,
      value: { result: { a: [1] } },
      dropped: [],
    })
  })

  test('__proto__ as data stays data', () => {
    const result: unknown = JSON.parse('{"__proto__":{"polluted":1}}')
    const checked = compileOutput(anything)({ result })
    expect(JSON.stringify(checked)).toBe(
      '{"ok":true,"value":{"result":{"__proto__":{"polluted":1}}},"dropped":[]}',
    )
  })

  test('VAL-09 lone surrogates and control characters are data', () => {
    const text = 'a\udfff\u0000\u001b'
    expect(compileOutput({ t: { type: 'string' } })({ t: text })).toEqual({
      ok: true,
      value: { t: text },
      dropped: [],
    })
  })
})
