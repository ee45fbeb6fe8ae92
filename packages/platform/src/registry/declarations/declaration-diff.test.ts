import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { Field, FieldMap } from '@farebox/protocol/fields/field'
import { describe, expect, test } from 'vitest'
import { worstSeverity } from './declaration-change.ts'
import { diffDeclarations } from './declaration-diff.ts'

const WALLET = `0x${'a1'.repeat(20)}`
const CAPABILITY: Capability = {
  description: 'Counts',
  pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
  input_schema: {},
  output_schema: {},
}

function declare(changes: Partial<Declaration> = {}): Declaration {
  return {
    service_version: '1.0',
    name: 'Counter',
    description: 'Counts things',
    wallet: WALLET,
    max_deadline_seconds: 10,
    capabilities: { count: CAPABILITY },
    ...changes,
  }
}

const withCapability = (changes: Partial<Capability>): Declaration =>
  declare({ capabilities: { count: { ...CAPABILITY, ...changes } } })

const told = (before: Declaration, after: Declaration): readonly string[] =>
  diffDeclarations(before, after).map(({ severity, sentence }) => `${severity}: ${sentence}`)

const inputs = (before: FieldMap, after: FieldMap): readonly string[] =>
  told(withCapability({ input_schema: before }), withCapability({ input_schema: after }))

const outputs = (before: FieldMap, after: FieldMap): readonly string[] =>
  told(withCapability({ output_schema: before }), withCapability({ output_schema: after }))

describe('the agent as a whole', () => {
  test('the same declaration has not changed, regardless of the order of its keys and the case of its wallet', () => {
    const { name, ...rest } = declare({ wallet: WALLET.toUpperCase().replace('0X', '0x') })
    expect(told(declare(), { ...rest, name })).toEqual([])
  })

  test('REG-04 another wallet is the most severe change', () => {
    const other = `0x${'b2'.repeat(20)}`
    const changes = diffDeclarations(declare(), declare({ wallet: other, capabilities: { sum: CAPABILITY } }))
    expect(changes[0]).toEqual({ severity: 'wallet', sentence: `is paid at ${other}, was at ${WALLET}` })
    expect(worstSeverity(changes)).toBe('wallet')
  })

  test('changes of name, description and deadline are compatible', () => {
    expect(told(declare(), declare({ name: 'C', description: 'D', max_deadline_seconds: 5 }))).toEqual([
      'compatible: name is "C", was "Counter"',
      'compatible: description is "D", was "Counts things"',
      'compatible: max_deadline_seconds is 5, was 10',
    ])
  })

  test('D14 another first capability is breaking: jobs that name no capability use it', () => {
    const both = declare({ capabilities: { count: CAPABILITY, sum: CAPABILITY } })
    const swapped = declare({ capabilities: { sum: CAPABILITY, count: CAPABILITY } })
    expect(told(both, swapped)).toEqual([
      'breaking: jobs that name no capability go to "sum", went to "count"',
    ])
  })

  test('a new capability is compatible, a removed one is breaking', () => {
    const both = declare({ capabilities: { count: CAPABILITY, sum: CAPABILITY } })
    expect(told(declare(), both)).toEqual(['compatible: is new, for 0.01 USDC a job'])
    expect(told(both, declare())).toEqual(['breaking: is gone'])
    expect(diffDeclarations(both, declare())[0]?.capability).toBe('sum')
  })

  test('a capability named like a property of every object is handled like any other', () => {
    const odd = declare({ capabilities: { count: CAPABILITY, toString: CAPABILITY } })
    expect(told(declare(), odd)).toEqual(['compatible: is new, for 0.01 USDC a job'])
  })
})

describe('prices', () => {
  const priced = (amount: string): Declaration =>
    withCapability({ pricing: { model: 'per_job', amount, currency: 'USDC' } })

  test('an increase and a decrease are reported with both exact prices', () => {
    const [raise] = diffDeclarations(priced('0.01'), priced('0.010001'))
    expect(raise).toEqual({
      severity: 'price',
      capability: 'count',
      sentence: 'costs 0.010001 USDC a job, was 0.01 (a raise)',
      price: { old: '0.01', new: '0.010001', direction: 'raise' },
    })
    expect(diffDeclarations(priced('2'), priced('0.5'))[0]?.price?.direction).toBe('cut')
  })

  test('the same amount in another spelling is the same price', () => {
    expect(told(priced('0.10'), priced('0.1'))).toEqual([])
  })
})

describe('inputs, for the caller who sends them', () => {
  const text = (more: Partial<Field> = {}): FieldMap => ({ text: { type: 'string', ...more } })
  const number = (more: Partial<Field> = {}): FieldMap => ({ n: { type: 'number', ...more } })
  const list = (items: Field): FieldMap => ({ list: { type: 'array', items } })
  const box = (properties: FieldMap): FieldMap => ({ box: { type: 'object', properties } })

  test.each<[string, FieldMap, FieldMap, string]>([
    ['a required one more', {}, text({ required: true }), 'needs the new input "text" (string)'],
    ['one required that was optional', text(), text({ required: true }), 'required false → true'],
    ['a type that takes less', text(), { text: { type: 'number' } }, 'type "string" → "number"'],
    ['integers only', number(), { n: { type: 'integer' } }, 'type "number" → "integer"'],
    ['a shorter maxLength', text({ maxLength: 9 }), text({ maxLength: 8 }), 'maxLength 9 → 8'],
    ['a new maxLength', text(), text({ maxLength: 8 }), 'maxLength none → 8'],
    ['a longer minLength', text(), text({ minLength: 1 }), 'minLength none → 1'],
    ['a new pattern', text(), text({ pattern: '^a' }), 'pattern none → "^a"'],
    ['another pattern', text({ pattern: '^b' }), text({ pattern: '^a' }), 'pattern "^b" → "^a"'],
    ['a new format', text(), text({ format: 'email' }), 'format none → "email"'],
    ['a value less in the enum', text({ enum: ['a', 'b'] }), text({ enum: ['a'] }), 'enum ["a","b"] → ["a"]'],
    ['a new enum', text(), text({ enum: ['a'] }), 'enum none → ["a"]'],
    ['a higher minimum', number({ minimum: 1 }), number({ minimum: 2 }), 'minimum 1 → 2'],
    ['a lower maximum', number({ maximum: 2 }), number({ maximum: 1 }), 'maximum 2 → 1'],
    [
      'narrower items',
      list({ type: 'string' }),
      list({ type: 'boolean' }),
      'items type "string" → "boolean"',
    ],
    ['fewer items', { l: { type: 'array' } }, { l: { type: 'array', maxItems: 3 } }, 'maxItems none → 3'],
    ['a property that is needed', box({}), box(text({ required: true })), '"text" is new'],
    ['a property required', box(text()), box(text({ required: true })), '"text" required false → true'],
  ])('breaking: %s', (_, before, after, detail) => {
    const [change, ...others] = inputs(before, after)
    expect(change).toMatch(/^breaking: /)
    expect(change).toContain(detail)
    expect(others).toEqual([])
  })

  test.each<[string, FieldMap, FieldMap, string]>([
    ['an optional one more', {}, text(), 'takes the new input "text" (string), which may be left out'],
    ['one less (D20 drops it)', text({ required: true }), {}, 'no longer reads the input "text"'],
    ['optional now', text({ required: true }), text(), 'takes more'],
    ['a type that takes more (D19)', number(), { n: { type: 'string' } }, 'takes more'],
    ['all numbers', { n: { type: 'integer' } }, number(), 'takes more'],
    ['longer', text({ maxLength: 8 }), text({ maxLength: 9 }), 'maxLength 8 → 9'],
    ['no pattern', text({ pattern: '^a' }), text(), 'pattern "^a" → none'],
    ['another value', text({ enum: ['a'] }), text({ enum: ['a', 'b'] }), 'takes more'],
    ['a property more', box({}), box(text()), '"text" is new'],
    ['a property less', box(text()), box({}), '"text" is gone'],
    ['a description', text(), text({ description: 'x' }), 'is described anew: description'],
    ['another default', text({ default: 'a' }), text({ default: 'b' }), 'is described anew: default'],
    ['examples within', list({ type: 'string' }), list({ type: 'string', title: 'T' }), 'items title'],
  ])('compatible: %s', (_, before, after, detail) => {
    const [change, ...others] = inputs(before, after)
    expect(change).toMatch(/^compatible: /)
    expect(change).toContain(detail)
    expect(others).toEqual([])
  })

  test('an explicit required: false equals its absence', () => {
    expect(inputs(text({ required: false }), text())).toEqual([])
    expect(inputs(box(text()), box(text({ required: false })))).toEqual([])
  })
})

describe('outputs, for the caller who reads them', () => {
  const words = (more: Partial<Field> = {}): FieldMap => ({ words: { type: 'number', ...more } })
  const box = (properties: FieldMap): FieldMap => ({ box: { type: 'object', properties } })

  test.each<[string, FieldMap, FieldMap, string]>([
    ['one less', words(), {}, 'no longer gives the output "words"'],
    ['another type', words(), { words: { type: 'string' } }, 'another type: type "number" → "string"'],
    ['fractions too', { words: { type: 'integer' } }, words(), 'another type: type "integer" → "number"'],
    ['possibly absent', words(), words({ required: false }), 'required true → false'],
    ['larger values', words({ maximum: 1 }), words({ maximum: 2 }), 'maximum 1 → 2'],
    ['no limit any more', words({ minimum: 0 }), words(), 'minimum 0 → none'],
    ['a value more', words({ enum: [1] }), words({ enum: [1, 2] }), 'enum [1] → [1,2]'],
    ['a property less', box(words()), box({}), '"words" is gone'],
    ['an optional property less', box(words({ required: false })), box({}), '"words" is gone'],
    ['a property of another type', box(words()), box({ words: { type: 'string' } }), 'another type'],
    ['a property possibly absent', box(words()), box(words({ required: false })), 'required true → false'],
    [
      'items of another type',
      { list: { type: 'array', items: { type: 'number' } } },
      { list: { type: 'array', items: { type: 'string' } } },
      'items type "number" → "string"',
    ],
  ])('breaking: %s', (_, before, after, detail) => {
    const [change, ...others] = outputs(before, after)
    expect(change).toMatch(/^breaking: /)
    expect(change).toContain(detail)
    expect(others).toEqual([])
  })

  test.each<[string, FieldMap, FieldMap, string]>([
    ['one more', {}, words(), 'gives the new output "words" (number)'],
    ['whole numbers only', words(), { words: { type: 'integer' } }, 'narrower'],
    ['smaller values', words({ maximum: 2 }), words({ maximum: 1 }), 'narrower'],
    ['always there', words({ required: false }), words(), 'narrower'],
    ['a property more', box({}), box(words()), '"words" is new'],
    ['a title', words(), words({ title: 'W' }), 'described anew: title'],
  ])('compatible: %s', (_, before, after, detail) => {
    const [change, ...others] = outputs(before, after)
    expect(change).toMatch(/^compatible: /)
    expect(change).toContain(detail)
    expect(others).toEqual([])
  })

  test('an explicit required: true equals its absence (D20)', () => {
    expect(outputs(words(), words({ required: true }))).toEqual([])
  })
})

describe('permissions', () => {
  const asking = (...limits: readonly [token: string, most: string][]): Declaration =>
    withCapability({
      permissions: limits.map(([token, max_per_transaction]) => ({
        type: 'EXECUTE_TRANSACTIONS',
        reason: 'Buys',
        token,
        max_per_transaction,
      })),
    })

  test("asking for more of the user's tokens is breaking, for less compatible", () => {
    expect(told(withCapability({}), asking(['USDC', '5']))).toEqual([
      'breaking: asks to spend up to 5 of the user\'s "USDC" at a time, was 0',
    ])
    expect(told(asking(['USDC', '5']), asking(['USDC', '7']))[0]).toMatch(/^breaking: /)
    expect(told(asking(['USDC', '5']), asking(['USDC', '4']))[0]).toMatch(/^compatible: /)
    expect(told(asking(['USDC', '5']), withCapability({}))).toEqual([
      'compatible: no longer asks to spend the user\'s "USDC"',
    ])
  })
})

describe('a hostile declaration', () => {
  test('has its names quoted and cut, and cannot insert text into the sentence', () => {
    const name = `x"\n\u202E${'y'.repeat(200)}`
    const [change] = diffDeclarations(declare(), declare({ name }))
    expect(change?.sentence).toMatch(/^name is "x\\"\\n\uFFFDy{60,80}…, was "Counter"$/)
  })

  test('with a thousand changes gets a hundred sentences, and the severity includes all of them', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`f${index}`, { type: 'string', required: true } as const]),
    )
    const changes = diffDeclarations(withCapability({}), withCapability({ input_schema: fields }))
    expect(changes).toHaveLength(100)
    expect(changes.at(-1)).toEqual({ severity: 'breaking', sentence: 'and 901 more changes' })
  })
})
