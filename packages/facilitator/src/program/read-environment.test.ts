import { describe, expect, test } from 'vitest'
import { readFacilitatorEnvironment, type FacilitatorEnvironment } from './read-environment.ts'

const KEY = `0x${'ab'.repeat(32)}`
const NEEDED = { EVM_RPC_URL: 'http://127.0.0.1:8545', RELAYER_PRIVATE_KEY: KEY }

function read(
  variables: { readonly [name: string]: string | undefined },
  files: { readonly [path: string]: string } = {},
): FacilitatorEnvironment {
  return readFacilitatorEnvironment({
    variables: { ...NEEDED, ...variables },
    readFile: path => {
      const text = files[path]
      if (text === undefined) throw new Error(`ENOENT: no such file, open '${path}'`)
      return text
    },
  })
}

test('the two required variables are enough; the others have defaults', () => {
  expect(read({})).toEqual({
    host: '127.0.0.1',
    port: 4010,
    metricsPort: undefined,
    drainSeconds: 0,
    network: expect.objectContaining({ id: 'eip155:8453' }),
    rpcUrl: 'http://127.0.0.1:8545',
    relayerKeys: [KEY],
    databaseUrl: undefined,
    databaseSchema: 'farebox_facilitator',
    dataFolder: '.farebox/facilitator',
    adminToken: undefined,
    limits: {},
  })
})

test('every variable is read', () => {
  expect(
    read({
      FACILITATOR_HOST: '0.0.0.0',
      FACILITATOR_PORT: '0',
      METRICS_PORT: '9100',
      FACILITATOR_NETWORK: 'eip155:84532',
      DATABASE_URL: 'postgres://u:p@db/facilitator',
      DATABASE_SCHEMA: 'other',
      FACILITATOR_DATA: '/data',
      FACILITATOR_ADMIN_TOKEN: '0123456789abcdef',
      FACILITATOR_MIN_AMOUNT: '0.01',
      FACILITATOR_DAILY_SETTLEMENTS: '5',
      FACILITATOR_DAILY_SETTLEMENTS_MOST: '9',
      FACILITATOR_DAILY_SETTLEMENTS_UNLISTED: '3',
      FACILITATOR_KNOWN_CODES: `0x${'ab'.repeat(32)}, 0x${'CD'.repeat(32)}`,
      FACILITATOR_REQUESTS_PER_SECOND: '6',
      FACILITATOR_MIN_SETTLEMENTS_LEFT: '7',
      FACILITATOR_MAX_FEE_GWEI: '8',
    }),
  ).toMatchObject({
    host: '0.0.0.0',
    port: 0,
    metricsPort: 9_100,
    network: { chainId: 84_532 },
    databaseUrl: 'postgres://u:p@db/facilitator',
    databaseSchema: 'other',
    dataFolder: '/data',
    adminToken: '0123456789abcdef',
    limits: {
      minimumAtomic: 10_000n,
      owners: { dailySettlements: { named: 5, listed: 5, unlisted: 3 }, grantedAtMost: 9 },
      knownCodes: [`0x${'ab'.repeat(32)}`, `0x${'CD'.repeat(32)}`],
      requestsPerSecond: 6,
      minSettlementsLeft: 7,
      maxFeePerGas: 8_000_000_000n,
    },
  })
})

test('D41 one daily number limits all owners, grants of platforms included', () => {
  const limitsOf = (variables: { readonly [name: string]: string }): unknown => read(variables).limits.owners
  expect(limitsOf({ FACILITATOR_DAILY_SETTLEMENTS: '5' })).toMatchObject({ grantedAtMost: 5 })
  expect(limitsOf({ FACILITATOR_DAILY_SETTLEMENTS_MOST: '9' })).toMatchObject({
    dailySettlements: { named: null, listed: 100_000 },
    grantedAtMost: 9,
  })
  expect(limitsOf({ FACILITATOR_DAILY_SETTLEMENTS_UNLISTED: '3' })).toMatchObject({
    grantedAtMost: 1_000_000,
  })
})

test('the key may come from a file, with a line break at its end', () => {
  expect(
    read({ RELAYER_PRIVATE_KEY: undefined, RELAYER_PRIVATE_KEY_FILE: '/run/key' }, { '/run/key': `${KEY}\n` })
      .relayerKeys,
  ).toEqual([KEY])
})

describe('OPS-10 refuses to start, naming the variable', () => {
  test.each<[string, { readonly [name: string]: string | undefined }]>([
    ['EVM_RPC_URL', { EVM_RPC_URL: undefined }],
    ['EVM_RPC_URL', { EVM_RPC_URL: '' }],
    ['EVM_RPC_URL', { EVM_RPC_URL: 'ws://127.0.0.1:8545' }],
    ['RELAYER_PRIVATE_KEY', { RELAYER_PRIVATE_KEY: undefined }],
    ['RELAYER_PRIVATE_KEY', { RELAYER_PRIVATE_KEY: KEY.slice(2) }],
    ['RELAYER_PRIVATE_KEY', { RELAYER_PRIVATE_KEY: `${KEY}00` }],
    ['RELAYER_PRIVATE_KEY and RELAYER_PRIVATE_KEY_FILE', { RELAYER_PRIVATE_KEY_FILE: '/run/key' }],
    ['RELAYER_PRIVATE_KEY_FILE', { RELAYER_PRIVATE_KEY: undefined, RELAYER_PRIVATE_KEY_FILE: '/run/none' }],
    ['FACILITATOR_PORT', { FACILITATOR_PORT: '3000abc' }],
    ['FACILITATOR_PORT', { FACILITATOR_PORT: '-1' }],
    ['FACILITATOR_PORT', { FACILITATOR_PORT: '70000' }],
    ['METRICS_PORT', { METRICS_PORT: 'on' }],
    ['FACILITATOR_NETWORK', { FACILITATOR_NETWORK: 'base' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://127.0.0.1/test' }],
    ['DATABASE_SCHEMA', { DATABASE_SCHEMA: 'a"; drop schema public' }],
    ['FACILITATOR_ADMIN_TOKEN', { FACILITATOR_ADMIN_TOKEN: 'short' }],
    ['FACILITATOR_MIN_AMOUNT', { FACILITATOR_MIN_AMOUNT: '1e-3' }],
    ['FACILITATOR_MIN_AMOUNT', { FACILITATOR_MIN_AMOUNT: '0' }],
    ['FACILITATOR_DAILY_SETTLEMENTS', { FACILITATOR_DAILY_SETTLEMENTS: '0' }],
    ['FACILITATOR_KNOWN_CODES', { FACILITATOR_KNOWN_CODES: '0x1234' }],
    ['FACILITATOR_MAX_FEE_GWEI', { FACILITATOR_MAX_FEE_GWEI: '1.5' }],
  ])('%s for %o', (name, variables) => {
    expect(() => read(variables)).toThrow(new RegExp(`^${name}\\b`))
  })

  test('OPS-08 a refusal never shows a secret', () => {
    for (const variables of [
      { RELAYER_PRIVATE_KEY: '0xsecret' },
      { FACILITATOR_ADMIN_TOKEN: 'secret' },
      { EVM_RPC_URL: 'ws://key:secret@node' },
      { DATABASE_URL: 'mysql://user:secret@db' },
    ]) {
      expect(() => read(variables)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('secret') }),
      )
    }
  })
})
