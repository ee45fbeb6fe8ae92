import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { compileInput } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { describe, expect, test } from 'vitest'
import { refuseKeyArguments } from '../../keys/refuse-key-arguments.ts'
import { commandArguments, shellLine } from '../command-line.ts'
import { readFieldFlags } from './field-flags.ts'

const FIELDS: FieldMap = {
  text: { type: 'string', required: true },
  top: { type: 'integer' },
  ratio: { type: 'number' },
  loud: { type: 'boolean' },
  tags: { type: 'array', items: { type: 'string' } },
  pages: { type: 'array', items: { type: 'integer' } },
  anything: { type: 'array' },
  options: { type: 'object', properties: { depth: { type: 'integer' }, inner: { type: 'object' } } },
  json: { type: 'string' },
  'a.b': { type: 'string' },
}

/** The agent's input. */
function read(args: readonly string[], named: readonly string[] = []): JsonObject {
  const checked = compileInput({ ...FIELDS, text: { type: 'string' } })(readFieldFlags(args, named, FIELDS))
  if (!checked.ok) throw new Error(`${checked.violation.field}: ${checked.violation.reason}`)
  return checked.value
}

describe('a flag for each field', () => {
  test.each<[string, string[], JsonObject]>([
    [
      'text and numbers',
      ['--text', 'hello', '--top', '3', '--ratio', '-1.5e3'],
      { text: 'hello', top: 3, ratio: -1500 },
    ],
    ['a text that looks like a number', ['--text', '007'], { text: '007' }],
    ['values behind =', ['--text=--text', '--top=3'], { text: '--text', top: 3 }],
    ['an empty text', ['--text='], { text: '' }],
    ['a bare boolean', ['--loud', '--text', 'a'], { loud: true, text: 'a' }],
    ['a boolean told', ['--loud=false'], { loud: false }],
    ['a boolean told as a word', ['--loud', 'false'], { loud: false }],
    ['an array item by item', ['--tags', 'a', '--tags', '5'], { tags: ['a', '5'] }],
    ['an array as JSON', ['--pages', '[1, "2"]', '--pages', '3'], { pages: [1, 2, 3] }],
    ['an item that only looks like JSON', ['--tags', '[sic]'], { tags: ['[sic]'] }],
    [
      'an array of anything',
      ['--anything', '5', '--anything', 'five', '--anything', 'null'],
      { anything: [5, 'five', null] },
    ],
    ['an object as JSON', ['--options', '{"depth": 3}'], { options: { depth: 3 } }],
    [
      'an object part by part',
      ['--options.depth', '3', '--options.inner.x', 'y'],
      { options: { depth: 3, inner: { x: 'y' } } },
    ],
    [
      'an object both ways',
      ['--options', '{"inner":{"a":1}}', '--options.depth', '3'],
      { options: { depth: 3, inner: { a: 1 } } },
    ],
    ['a field with a dot in its name', ['--a.b', 'c'], { 'a.b': 'c' }],
    [
      'inside of an undeclared object even __proto__',
      ['--options.inner.__proto__', '{"x":1}'],
      JSON.parse('{"options":{"inner":{"__proto__":{"x":1}}}}') as JsonObject,
    ],
  ])('%s', (_, args, input) => {
    expect(read(args)).toEqual(input)
    expect(Object.prototype).not.toHaveProperty('x')
  })

  test('--field sets any field, including those named like an option', () => {
    expect(read(['--text', 'a'], ['json=b=c', 'options.depth=2'])).toEqual({
      text: 'a',
      json: 'b=c',
      options: { depth: 2 },
    })
  })

  test.each<[string, string[], string]>([
    ['an unknown flag', ['--txet', 'a'], '--txet is not one of its fields, did you mean --text?'],
    ['a mistyped option', ['--dry-rum'], '--dry-rum is not one of its fields, did you mean --dry-run?'],
    ['an unknown part', ['--options.dept', '3'], 'did you mean --options.depth?'],
    ['a part of a text', ['--text.length', '3'], '--text.length is not there: --text is of type string'],
    ['a prototype', ['--__proto__', 'a'], '--__proto__ is not one of its fields'],
    ['a flag without its value', ['--text'], '--text needs a value'],
    ['a flag whose value was forgotten', ['--text', '--top', '3'], '--text needs a value'],
    ['a word on its own', ['--text', 'a', 'b'], '"b" was not expected here'],
    ['a value twice', ['--text', 'a', '--text', 'b'], '--text is given twice'],
    [
      'an object that is none',
      ['--options', 'deep'],
      '--options must be an object like {"depth": 3}, as JSON, got "deep"',
    ],
    ['a flag with control characters', ['--\u001b[2J'], '--·[2J is not one of its fields'],
  ])('%s is refused', (_, args, message) => {
    expect(() => readFieldFlags(args, [], FIELDS)).toThrow(message)
  })
})

describe('a command line to paste', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom('--json', "it's", '$(rm)', '-', '=a', '!x', 'true', '007', '[1]', `0x${'ab'.repeat(32)}`),
  )
  const inputs = fc.record(
    {
      text,
      top: fc.integer(),
      ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
      loud: fc.boolean(),
      tags: fc.array(text),
      json: text,
      options: fc.record({ depth: fc.integer() }),
    },
    { requiredKeys: ['text'] },
  )

  test('gives exactly that input in a real shell, and does not move the cursor', () => {
    fc.assert(
      fc.property(inputs, input => {
        // A shell argument cannot contain NUL or half a character; JSON escapes can.
        const expected = JSON.parse(JSON.stringify(input)) as JsonObject
        const line = shellLine(
          commandArguments({ url: 'http://localhost', capability: 'count', input: expected, fields: FIELDS }),
        )
        expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        const printed = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`]).toString('utf8')
        const [program, command, url, capability, ...args] = printed.split('\0').slice(0, -1)
        expect([program, command, url, capability]).toEqual(['farebox', 'call', 'http://localhost', 'count'])
        refuseKeyArguments(args)
        expect(readBack(args)).toEqual(compileInput(FIELDS)(expected))
      }),
      { numRuns: 150 },
    )
  })

  test('never has a capability that could be read as an option', () => {
    const args = commandArguments({ url: 'u', capability: '--max-price=100', input: {}, fields: FIELDS })
    expect(args).toEqual(['farebox', 'call', 'u'])
  })

  /** The input that `farebox call` reads from the words; commander removes `--field` and `--input`. */
  function readBack(args: readonly string[]): unknown {
    const rest: string[] = []
    const named: string[] = []
    let whole = '{}'
    for (let index = 0; index < args.length; index += 1) {
      const word = args[index] ?? ''
      if (word === '--field') named.push(args[(index += 1)] ?? '')
      else if (word === '--input') whole = args[(index += 1)] ?? ''
      else rest.push(word)
    }
    const input = { ...(JSON.parse(whole) as JsonObject), ...readFieldFlags(rest, named, FIELDS) }
    return compileInput(FIELDS)(input)
  }
})
