import { describe, expect, test } from 'vitest'
import { checkDeclaration } from '../declaration/check-declaration.ts'
import { formatProblem } from '../problems/problem.ts'
import { MAX_INPUT_CHECK_STEPS } from '../limits.ts'
import { compileInput, compileOutput } from './compile.ts'
import { compatible } from '../compatibility/compatible.ts'
import { startCheckBudget } from './check-budget.ts'
import type { Field, FieldMap } from './field.ts'
import { sample } from '../samples/sample.ts'

const LIMIT = `is where the check reached its limit of ${MAX_INPUT_CHECK_STEPS} steps`

/** An array of these items. */
function list(items: Field): FieldMap {
  return { list: { type: 'array', items, required: true } }
}

describe('D42 the check of an input stops when its step budget is used up', () => {
  test('many texts for a pattern with a large program', () => {
    const check = compileInput(list({ type: 'string', pattern: '(\\w|\\d|\\s|.){900}$' }))
    const result = check({ list: Array.from({ length: 340 }, () => 'ab c9-x_'.repeat(362)) })
    expect(result).toEqual({
      ok: false,
      violation: { field: 'list[1]', reason: expect.stringContaining(LIMIT) },
    })
  })

  test('many empty objects for a thousand optional properties', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 990 }, (_, index) => [`p${index}`, { type: 'string' } as const]),
    )
    const result = compileInput(list({ type: 'object', properties }))({
      list: Array.from({ length: 340_000 }, () => ({})),
    })
    expect(result).toMatchObject({ ok: false, violation: { reason: expect.stringContaining(LIMIT) } })
  })

  test('a large default that many items lack', () => {
    const properties = { note: { type: 'string', default: 'x'.repeat(100_000) } } as const
    const result = compileInput(list({ type: 'object', properties }))({
      list: Array.from({ length: 340_000 }, () => ({})),
    })
    expect(result).toMatchObject({
      ok: false,
      violation: { field: 'list[66].note', reason: expect.stringContaining(LIMIT) },
    })
  })

  test('large objects that an enum compares', () => {
    const check = compileInput(list({ type: 'object', enum: [{ a: 1 }] }))
    const result = check({ list: [{ a: 'x'.repeat(1_040_000) }] })
    expect(result).toMatchObject({ ok: false, violation: { reason: expect.stringContaining(LIMIT) } })
  })

  test('ordinary inputs stay within the limit: 5,000 UUIDs by a pattern, 100,000 numbers, a long text', () => {
    const uuid = '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
    const ids = Array.from({ length: 5_000 }, () => '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c')
    expect(compileInput(list({ type: 'string', pattern: uuid }))({ list: ids }).ok).toBe(true)
    const numbers = Array.from({ length: 100_000 }, (_, index) => index)
    expect(compileInput(list({ type: 'number' }))({ list: numbers }).ok).toBe(true)
    const text: FieldMap = { text: { type: 'string', pattern: '\\S' } }
    expect(compileInput(text)({ text: ' '.repeat(999_999) + 'x' }).ok).toBe(true)
  })

  test('outputs have steps for five times the bytes', () => {
    const check = compileOutput(list({ type: 'string', pattern: '^[a-z]{4}$' }))
    expect(check({ list: Array.from({ length: 300_000 }, () => 'abcd') }).ok).toBe(true)
    expect(check({ list: Array.from({ length: 900_000 }, () => 'abcd') })).toMatchObject({
      ok: false,
      violation: { reason: expect.stringContaining('is where the check reached its limit') },
    })
  })
})

describe('D42 the check of a declaration', () => {
  test('names the field whose pattern exceeds the limit of all patterns', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`f${index}`, { type: 'string', pattern: '[ab]{999}' }]),
    )
    const [problem, ...more] = problemsOf(declarationOf({ input_schema: fields }))
    expect(more).toEqual([])
    expect(problem).toMatch(
      /^capabilities\.count\.input_schema\.f9\d\.pattern: makes the patterns of this declaration too large/,
    )
  })

  test.each([
    ['Unicode classes', '(?i)' + '\\pL'.repeat(80)],
    ['ranges that are folded', '(?i)' + '[\\x{300}-\\x{1e900}]'.repeat(11)],
  ])('counts the tables that an engine makes for %s', (_, pattern) => {
    const fields = Object.fromEntries(
      Array.from({ length: 100 }, (_unused, index) => [`f${index}`, { type: 'string', pattern }]),
    )
    expect(problemsOf(declarationOf({ input_schema: fields }))[0]).toContain('too large')
  })

  test('counts the fields of all capabilities together', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`f${index}`, { type: 'string' }]),
    )
    const [capability] = Object.values(declarationOf({ input_schema: fields }).capabilities)
    const capabilities = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`c${index}`, capability]),
    )
    const problems = problemsOf({ ...declarationOf({}), capabilities })
    expect(problems[0]).toMatch(
      /^capabilities\.c1\d\.input_schema\.f\d+: is where the check of the declaration/,
    )
  })

  test('counts the steps for checking its own values', () => {
    const pattern = '(\\w|\\d|\\s|.){900}$'
    const value = 'ab c9-x_'.repeat(200)
    const fields = { f: { type: 'string', pattern, examples: Array.from({ length: 10 }, () => value) } }
    expect(problemsOf(declarationOf({ input_schema: fields }))[0]).toContain(
      'is where the check of the declaration',
    )
  })

  test('reports the first hundred problems and says that there may be more', () => {
    const keys = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => [`${'k'.repeat(60)}${index}`, 1]),
    )
    const problems = problemsOf({ ...declarationOf({}), ...keys })
    expect(problems).toHaveLength(101)
    expect(problems.at(-1)).toBe('has at least 100 problems; those after the first 100 are not listed')
  })

  test('accepts 10,000 enum values, and refuses a field name of 100 KB with a short message', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => `value ${index}`)
    expect(problemsOf(declarationOf({ input_schema: { f: { type: 'string', enum: values } } }))).toEqual([])
    const [problem] = problemsOf(
      declarationOf({ input_schema: { ['n'.repeat(100_000)]: { type: 'string' } } }),
    )
    expect(problem).toBe(
      'capabilities.count.input_schema: holds a field whose name has 100000 characters; at most 256 are allowed',
    )
  })
})

test('D18 an example that its own field would refuse is a warning, not a problem', () => {
  const fields = { f: { type: 'string', format: 'email', examples: ['someone@example.org', 'nobody'] } }
  const checked = checkDeclaration(declarationOf({ input_schema: fields }))
  expect(checked).toMatchObject({
    ok: true,
    warnings: [{ path: ['capabilities', 'count', 'input_schema', 'f', 'examples', 1] }],
  })
})

test('D42 comparing fields and making samples is limited as well', () => {
  const pattern = '(\\w|\\d|\\s|.){900}$'
  const values = Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(2_000, 'ab c9-x_'))
  const compared = compatible({ type: 'string', enum: values }, { type: 'string', pattern })
  expect(compared.reason).toContain('too many to compare')
  expect(sample({ f: { type: 'string', required: true, pattern: `${pattern}~`, examples: values } }).ok).toBe(
    false,
  )
})

describe('D42 a budget that several checks share', () => {
  const texts = Array.from({ length: 500 }, (_, index) => `value ${index}`)
  const some: Field = { type: 'string', enum: texts }

  test('ends comparisons, samples and checks once any of them has used it up', () => {
    const budget = startCheckBudget({ steps: 40_000 })
    expect(compatible(some, { type: 'string', maxLength: 9 }, budget).grade).toBe('same')
    expect(compatible(some, { type: 'string', maxLength: 9 }, budget).reason).toContain('too many to compare')
    expect(sample({ f: { type: 'string', required: true } }, 'input', budget).ok).toBe(false)
    expect(compileInput({ f: { type: 'string' } }, budget)({ f: 'x' })).toMatchObject({ ok: false })
    expect(compileOutput({ f: { type: 'string' } }, budget)({ f: 'x' })).toMatchObject({ ok: false })
  })

  test('compiles a pattern once, and none beyond its instructions', () => {
    const budget = startCheckBudget({ instructions: 1_000 })
    const matching = (pattern: string): string =>
      compatible({ type: 'string', enum: ['ab'] }, { type: 'string', pattern }, budget).grade
    for (let time = 0; time < 100; time += 1) expect(matching('^[a-z]+$')).toBe('same')
    expect(matching('[ab]{999}')).toBe('impossible')
    expect(matching('^b')).toBe('lossy')
  })

  test('a check with a shared budget has no more steps than a check alone', () => {
    const budget = startCheckBudget({ steps: 10 * MAX_INPUT_CHECK_STEPS })
    const input = { list: Array.from({ length: 340 }, () => 'ab c9-x_'.repeat(362)) }
    const check = compileInput(list({ type: 'string', pattern: '(\\w|\\d|\\s|.){900}$' }), budget)
    expect(check(input)).toMatchObject({ ok: false, violation: { reason: expect.stringContaining(LIMIT) } })
    expect(budget.stepsLeft).toBeGreaterThan(8 * MAX_INPUT_CHECK_STEPS)
  })
})

function declarationOf(schemas: { readonly input_schema?: object; readonly output_schema?: object }) {
  return {
    service_version: '1.0',
    name: 'Counter',
    description: 'Counts',
    wallet: '${AGENT_WALLET_ADDRESS}',
    max_deadline_seconds: 5,
    capabilities: {
      count: {
        description: '',
        pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
        input_schema: {},
        output_schema: {},
        ...schemas,
      },
    },
  }
}

function problemsOf(declaration: object): readonly string[] {
  const checked = checkDeclaration(declaration)
  return checked.ok ? [] : checked.problems.map(formatProblem)
}
