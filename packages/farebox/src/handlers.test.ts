import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { describe, expect, test } from 'vitest'
import { matchHandlers } from './handlers.ts'

const echo = (): object => ({})

function declares(...names: readonly string[]): Declaration {
  const capability = {
    description: '',
    pricing: { model: 'per_job', amount: '1', currency: 'USDC' },
    input_schema: {},
    output_schema: {},
  } as const
  return {
    service_version: '1.0',
    name: 'a',
    description: '',
    wallet: '',
    max_deadline_seconds: 5,
    capabilities: Object.fromEntries(names.map(name => [name, capability])),
  }
}

describe('matching handlers to capabilities (interface, 1.4)', () => {
  test('a map serves several capabilities, in the declared order', () => {
    expect([...matchHandlers(declares('a', 'b'), { b: echo, a: echo }).keys()]).toEqual(['a', 'b'])
  })

  test('a single function serves a single capability', () => {
    expect(matchHandlers(declares('a'), echo).get('a')).toBe(echo)
    expect(() => matchHandlers(declares('a', 'b'), echo)).toThrow(
      'handlers: one function serves one capability, but 2 are declared: export a map with a, b',
    )
  })

  test('every capability without a function and every function without a capability is named', () => {
    expect(() => matchHandlers(declares('a', 'b', 'c'), { b: echo, c: 7 })).toThrow(
      'handlers: no function for the declared a, c',
    )
    expect(() => matchHandlers(declares('a'), { a: echo, aa: echo })).toThrow(
      'handlers: aa not declared; declared are a',
    )
    expect(() => matchHandlers(declares('count', 'sum'), { cuont: echo, sum: echo })).toThrow(
      'handlers: no function for the declared count; is cuont meant to be count?',
    )
  })

  test('VAL-02 an inherited property of objects is not a handler', () => {
    expect(() => matchHandlers(declares('toString'), {})).toThrow(
      'handlers: no function for the declared toString',
    )
    expect(() => matchHandlers(declares('constructor'), {})).toThrow(
      'handlers: no function for the declared constructor',
    )
    expect(matchHandlers(declares('toString'), { toString: echo }).get('toString')).toBe(echo)
  })

  test.each([undefined, null, 7, 'echo'])('%j is refused', given => {
    expect(() => matchHandlers(declares('a'), given)).toThrow(
      'handlers: must be a function or a map from capability name to function, with a',
    )
  })
})
