import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDeclaration } from './check-declaration.ts'
import { formatPath } from '../problems/problem.ts'

const PERMISSION = {
  type: 'EXECUTE_TRANSACTIONS',
  reason: 'buys a ticket',
  token: 'USDC',
  max_per_transaction: '5.00',
}

function capability(changes: object = {}): object {
  return {
    description: 'Counts words',
    pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
    input_schema: { text: { type: 'string', required: true, maxLength: 100 } },
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

/** Each problem as `path: reason`; empty for a valid declaration. */
function problemsOf(value: unknown): readonly string[] {
  const checked = checkDeclaration(value)
  return checked.ok ? [] : checked.problems.map(({ path, reason }) => `${formatPath(path)}: ${reason}`)
}

function without(key: string): object {
  return Object.fromEntries(Object.entries(declaration()).filter(([name]) => name !== key))
}

describe('a valid declaration', () => {
  test('D28 is returned unchanged', () => {
    expect(checkDeclaration(declaration())).toEqual({
      ok: true,
      declaration: declaration(),
      warnings: [],
    })
  })

  test('D28 may name its $schema, which is not served', () => {
    expect(checkDeclaration({ $schema: './agent.schema.json', ...declaration() })).toEqual({
      ok: true,
      declaration: declaration(),
      warnings: [],
    })
  })

  test('D29 keeps declared permissions, and adds none', () => {
    const permitted = declaration({
      capabilities: { buy: capability({ permissions: [PERMISSION] }), count: capability() },
    })
    expect(checkDeclaration(permitted)).toEqual({ ok: true, declaration: permitted, warnings: [] })
  })

  test.each([
    ['a literal wallet', { wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc' }],
    ['a wallet in capitals', { wallet: '0x3C44CDDDB6A900FA2B585DD299E03D12FA4293BC' }],
    ['the longest name', { name: 'n'.repeat(64) }],
    ['a name of 64 emoji, which is twice as many UTF-16 units', { name: '🚌'.repeat(64) }],
    ['an empty description', { description: '' }],
    ['the longest description', { description: '🚌'.repeat(1_024) }],
    ['an hour', { max_deadline_seconds: 3_600 }],
    ['half a second', { max_deadline_seconds: 0.5 }],
    ['a capability without input', { capabilities: { roll: capability({ input_schema: {} }) } }],
    ['a capability named like a method of objects', { capabilities: { constructor: capability() } }],
    ['a capability with the longest name', { capabilities: { ['🚌'.repeat(64)]: capability() } }],
    ['no permissions, said aloud', { capabilities: { count: capability({ permissions: [] }) } }],
  ])('D28 may have %s', (_, changes) => {
    expect(problemsOf(declaration(changes))).toEqual([])
  })
})

describe('refused declarations, each with its path', () => {
  test.each([
    [null, 'null'],
    [[], 'an array'],
    ['{}', 'a string'],
    [7, 'a number'],
    [undefined, 'undefined'],
  ])('D28 %j is not a declaration', (value, name) => {
    expect(problemsOf(value)).toEqual([`: must be a JSON object, got ${name}`])
  })

  test.each(Object.keys(declaration()))('D28 %s is required', key => {
    expect(problemsOf(without(key))).toEqual([`${key}: is required`])
  })

  test.each([
    [{ service_version: '2.0' }, 'service_version: must be "1.0", got "2.0"'],
    [{ service_version: 1 }, 'service_version: must be "1.0", got a number'],
    [{ name: '' }, 'name: must not be empty'],
    [{ name: ' \n' }, 'name: must not be empty'],
    [{ name: 'n'.repeat(65) }, 'name: must be at most 64 characters, got 65'],
    [{ name: null }, 'name: must be a string, got null'],
    [{ description: 'd'.repeat(1_025) }, 'description: must be at most 1024 characters, got 1025'],
    [{ wallet: '0x1234' }, 'wallet: must be "${AGENT_WALLET_ADDRESS}" or an address of 0x and 40 hex digits'],
    [
      { wallet: 'vitalik.eth' },
      'wallet: must be "${AGENT_WALLET_ADDRESS}" or an address of 0x and 40 hex digits',
    ],
    [{ wallet: `0x${'0'.repeat(40)}` }, 'wallet: must not be the zero address'],
    [{ capabilities: {} }, 'capabilities: must declare at least one capability'],
    [
      { capabilities: [] },
      'capabilities: must be an object from capability name to capability, got an array',
    ],
    [{ capabilities: { count: null } }, 'capabilities.count: must be an object, got null'],
    [{ capabilities: { '': capability() } }, 'capabilities.: a capability name has 1 to 64 characters'],
    [
      { capabilities: { ['n'.repeat(65)]: capability() } },
      `capabilities.${'n'.repeat(65)}: a capability name has 1 to 64 characters`,
    ],
    [
      { capabilities: { 7: capability() } },
      'capabilities.7: must not have a number as its name: objects put such names first (D28)',
    ],
  ])('D28 %j is refused', (changes, problem) => {
    expect(problemsOf(declaration(changes))).toEqual([problem])
  })

  test.each([0, -1, 3_600.5, NaN, Infinity, '10', null])(
    'D28 %s is not a valid max_deadline_seconds',
    max_deadline_seconds => {
      expect(problemsOf(declaration({ max_deadline_seconds }))).toEqual([
        'max_deadline_seconds: must be a number of seconds, more than 0 and at most 3600',
      ])
    },
  )

  test('VAL-01 a capability called __proto__, as JSON can spell it, is refused and changes no prototype', () => {
    const hostile: unknown = JSON.parse(JSON.stringify(declaration()).replace('"count"', '"__proto__"'))
    expect(problemsOf(hostile)).toEqual([
      'capabilities.__proto__: must have another name: JavaScript takes __proto__ for something else',
    ])
    expect(
      problemsOf(JSON.parse(`{"__proto__":{"polluted":1},${JSON.stringify(declaration()).slice(1)}`)),
    ).toEqual(['__proto__: is not a known key'])
    expect({}).not.toHaveProperty('polluted')
  })

  test.each([
    ['0.0000001', 'must have at most 6 decimals, USDC has no more, got "0.0000001"'],
    ['1e-3', 'must be a decimal like "0.01", got "1e-3"'],
    ['1,5', 'must be a decimal like "0.01", got "1,5"'],
    ['-1', 'must be a decimal like "0.01", got "-1"'],
    ['0', 'must be more than zero'],
    [0.01, 'must be a decimal string like "0.01", got number'],
  ])('D1 a price of %s is refused with its path', (amount, reason) => {
    const pricing = { model: 'per_job', amount, currency: 'USDC' }
    expect(problemsOf(declaration({ capabilities: { count: capability({ pricing }) } }))).toEqual([
      `capabilities.count.pricing.amount: ${reason}`,
    ])
  })

  test.each([
    [
      { pricing: { model: 'per_token', amount: '1', currency: 'USDC' } },
      'pricing.model: must be "per_job", got "per_token"',
    ],
    [
      { pricing: { model: 'per_job', amount: '1', currency: 'EUR' } },
      'pricing.currency: must be "USDC", got "EUR"',
    ],
    [{ pricing: { model: 'per_job', currency: 'USDC' } }, 'pricing.amount: is required'],
    [{ pricing: '1' }, 'pricing: must be an object, got a string'],
    [{ permissions: {} }, 'permissions: must be an array of permissions, got an object'],
    [{ permissions: ['all'] }, 'permissions[0]: must be an object, got a string'],
    [
      { permissions: [PERMISSION, { ...PERMISSION, type: 'SPEND' }] },
      'permissions[1].type: must be "EXECUTE_TRANSACTIONS", got "SPEND"',
    ],
    [
      { permissions: [{ ...PERMISSION, max_per_transaction: '0' }] },
      'permissions[0].max_per_transaction: must be more than zero',
    ],
    [{ permissions: [{ ...PERMISSION, reason: '' }] }, 'permissions[0].reason: must not be empty'],
    [{ permissions: [{ ...PERMISSION, token: '' }] }, 'permissions[0].token: must not be empty'],
    [
      { permissions: [{ ...PERMISSION, max_per_transaction: 5 }] },
      'permissions[0].max_per_transaction: must be a decimal string like "0.01", got number',
    ],
    [
      { permissions: [{ ...PERMISSION, max_per_transaction: '0.0000001' }] },
      'permissions[0].max_per_transaction: must have at most 6 decimals, USDC has no more, got "0.0000001"',
    ],
    [
      { permissions: [{ ...PERMISSION, max_per_transaction: '309485009821345068724.781056' }] },
      'permissions[0].max_per_transaction: must be at most 309485009821345068724.781055, the largest amount that can be permitted',
    ],
    [
      { permissions: [PERMISSION, { ...PERMISSION, max_per_transaction: '9' }] },
      'permissions[1].token: "USDC" is asked for by permissions[0] already',
    ],
  ])('D28 a capability with %j is refused', (changes, problem) => {
    expect(problemsOf(declaration({ capabilities: { count: capability(changes) } }))).toEqual([
      `capabilities.count.${problem}`,
    ])
  })

  test('D18 a fault in a field is reported with its whole path', () => {
    const input_schema = { text: { type: 'string', minlength: 1 } }
    const [problem] = problemsOf(declaration({ capabilities: { count: capability({ input_schema }) } }))
    expect(problem).toMatch(/^capabilities\.count\.input_schema\.text\.minlength: .*minLength/)
  })

  test.each([
    [
      { max_deadline_second: 1 },
      'max_deadline_second: is not a known key, did you mean "max_deadline_seconds"?',
    ],
    [{ colour: 'red' }, 'colour: is not a known key'],
    [
      { capabilities: { count: capability({ permission: [] }) } },
      'capabilities.count.permission: is not a known key, did you mean "permissions"?',
    ],
    [
      {
        capabilities: {
          count: capability({
            pricing: { model: 'per_job', amount: '1', currency: 'USDC', Currency: 'EUR' },
          }),
        },
      },
      'capabilities.count.pricing.Currency: is not a known key, did you mean "currency"?',
    ],
  ])('D28 an unknown key is refused with the nearest known one: %j', (changes, problem) => {
    expect(problemsOf(declaration(changes))).toEqual([problem])
  })

  test('D28 every problem is reported at once, in order', () => {
    const capabilities = { count: capability({ description: 1 }), sum: capability({ pricing: {} }) }
    expect(problemsOf({ ...declaration({ name: '', wallet: '', capabilities }), extra: 1 })).toEqual([
      'extra: is not a known key',
      'name: must not be empty',
      'wallet: must be "${AGENT_WALLET_ADDRESS}" or an address of 0x and 40 hex digits',
      'capabilities.count.description: must be a string, got a number',
      'capabilities.sum.pricing.model: is required',
      'capabilities.sum.pricing.amount: is required',
      'capabilities.sum.pricing.currency: is required',
    ])
  })
})

test('VAL-18 no JSON makes the check throw, at any place', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(declaration())), (value, key) => {
      expect(checkDeclaration(value).ok).toBe(false)
      expect(typeof checkDeclaration({ ...declaration(), [key]: value }).ok).toBe('boolean')
      expect(typeof checkDeclaration(declaration({ capabilities: { count: value } })).ok).toBe('boolean')
      expect(
        typeof checkDeclaration(declaration({ capabilities: { count: capability({ pricing: value }) } })).ok,
      ).toBe('boolean')
    }),
  )
})
