import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { isWithin } from '../outbound/address/public-address.ts'
import { DEFAULT_SETTLEMENT_RULE } from '../settlement-rule.ts'
import { readEnvironment, type PlatformEnvironment } from './read-environment.ts'

const REGISTRY = `0x${'ab'.repeat(20)}`
const KEY = `0x${'cd'.repeat(32)}`
const NEEDED = {
  PLATFORM_PUBLIC_URL: 'https://farebox.example',
  EVM_RPC_URL: 'http://127.0.0.1:8545',
  AGENT_REGISTRY_ADDRESS: REGISTRY,
}

let crypto: EvmCrypto
beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

function read(variables: { readonly [name: string]: string | undefined }): PlatformEnvironment {
  const readFile = (path: string): string => {
    if (path === '/run/key') return `${KEY}\n`
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  return readEnvironment({ variables: { ...NEEDED, ...variables }, readFile }, crypto)
}

test('with only the three required variables, the others have defaults', () => {
  expect(read({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    metricsPort: undefined,
    drainSeconds: 0,
    trustedProxies: [],
    shunnedHosts: [],
    shunnedAddresses: [],
    network: expect.objectContaining({ id: 'eip155:8453' }) as unknown,
    rpcUrl: 'http://127.0.0.1:8545',
    databaseUrl: undefined,
    databaseSchema: 'farebox_platform',
    dataFolder: '.farebox/platform',
    paymentKey: undefined,
    paymentKeyBefore: undefined,
    settings: {
      publicUrl: 'https://farebox.example',
      localMode: false,
      registryAddress: REGISTRY,
      registryFirstBlock: 0,
      permissionsFirstBlock: 0,
      confirmations: 12,
      checkIntervalMs: 600_000,
      refreshIntervalMs: 86_400_000,
      facilitator: undefined,
      operatorToken: undefined,
      canaryKey: undefined,
      faucetKey: undefined,
      canaryBudgetAtomic: 0n,
      settlements: DEFAULT_SETTLEMENT_RULE,
    },
  })
})

test('D41 the settlement rule is set by five numbers and two bounds, or turned off', () => {
  const ruleOf = (variables: { readonly [name: string]: string }): unknown =>
    read(variables).settings.settlements
  expect(
    ruleOf({
      PLATFORM_SETTLEMENTS_PER_STAKE: '0, 2,3,3,5',
      PLATFORM_SETTLEMENTS_AT_LEAST: '6',
      PLATFORM_SETTLEMENTS_AT_MOST: '7',
    }),
  ).toEqual({ perStake: { none: 0, verified: 2, bronze: 3, silver: 3, gold: 5 }, atLeast: 6, atMost: 7 })
  expect(ruleOf({ PLATFORM_SETTLEMENTS_PER_STAKE: 'off' })).toBeUndefined()
  for (const wrong of ['1,2,3,4', '1,2,3,4,5,6', '5,4,3,2,1', '1,2,3,4,x', '1,2,3,4,1e9', '-1,2,3,4,5'])
    expect(() => ruleOf({ PLATFORM_SETTLEMENTS_PER_STAKE: wrong })).toThrow(/^PLATFORM_SETTLEMENTS_PER_STAKE/)
  expect(() => ruleOf({ PLATFORM_SETTLEMENTS_AT_LEAST: '2000000' })).toThrow(/^PLATFORM_SETTLEMENTS_AT_LEAST/)
})

test('every variable is read', () => {
  expect(
    read({
      PLATFORM_HOST: '0.0.0.0',
      PLATFORM_PORT: '0',
      METRICS_PORT: '9100',
      PLATFORM_TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16',
      PLATFORM_SHUNNED_HOSTS: 'victim.example, xn--bcher-kva.example',
      PLATFORM_NETWORK: 'eip155:84532',
      AGENT_REGISTRY_BLOCK: '77',
      SPEND_PERMISSIONS_BLOCK: '78',
      REGISTRY_CONFIRMATIONS: '0',
      DATABASE_URL: 'postgres://u:p@db/platform',
      DATABASE_SCHEMA: 'other',
      PAYMENT_ENCRYPTION_KEY: KEY,
      PAYMENT_ENCRYPTION_KEY_BEFORE_FILE: '/run/key',
      PLATFORM_DATA: '/data',
      PLATFORM_CHECK_SECONDS: '60',
      PLATFORM_REFRESH_SECONDS: '3600',
      FACILITATOR_URL: 'http://127.0.0.1:4010',
      FACILITATOR_ADMIN_TOKEN: '0123456789abcdef',
      PLATFORM_OPERATOR_TOKEN: 'fedcba9876543210',
      CANARY_PRIVATE_KEY_FILE: '/run/key',
      CANARY_DAILY_BUDGET: '1.5',
    }),
  ).toMatchObject({
    host: '0.0.0.0',
    port: 0,
    metricsPort: 9_100,
    trustedProxies: ['10.0.0.1', '192.168.0.0/16'],
    shunnedHosts: ['victim.example', 'xn--bcher-kva.example'],
    network: { chainId: 84_532 },
    databaseUrl: 'postgres://u:p@db/platform',
    databaseSchema: 'other',
    dataFolder: '/data',
    paymentKey: KEY,
    paymentKeyBefore: KEY,
    settings: {
      registryFirstBlock: 77,
      permissionsFirstBlock: 78,
      confirmations: 0,
      checkIntervalMs: 60_000,
      refreshIntervalMs: 3_600_000,
      facilitator: { url: 'http://127.0.0.1:4010', adminToken: '0123456789abcdef' },
      operatorToken: 'fedcba9876543210',
      canaryKey: KEY,
      canaryBudgetAtomic: 1_500_000n,
    },
  })
})

test('a blocked address matches itself, and a block matches all its addresses', () => {
  const { shunnedAddresses } = read({ PLATFORM_SHUNNED_ADDRESSES: '5.6.7.8, 9.9.0.0/16,2a00:1::/32' })
  const isShunned = (address: string): boolean => isWithin(address, shunnedAddresses)
  expect(['5.6.7.8', '9.9.255.1', '::ffff:9.9.1.1', '2a00:1:2::3'].filter(isShunned)).toHaveLength(4)
  expect(['5.6.7.9', '9.8.0.1', '2a00:2::1', 'none'].filter(isShunned)).toEqual([])
})

test('D37 local mode accepts http, needs no public URL, and waits for no confirmations', () => {
  expect(read({ PLATFORM_LOCAL: 'true', PLATFORM_PUBLIC_URL: '' }).settings).toMatchObject({
    localMode: true,
    publicUrl: undefined,
    confirmations: 0,
  })
  expect(
    read({ PLATFORM_LOCAL: 'true', PLATFORM_PUBLIC_URL: 'http://localhost:4000/' }).settings.publicUrl,
  ).toBe('http://localhost:4000')
})

describe('wrong variables are named', () => {
  test.each([
    [{ PLATFORM_LOCAL: 'yes' }, 'PLATFORM_LOCAL must be exactly "true" or "false", got "yes"'],
    [{ PLATFORM_LOCAL: 'TRUE' }, 'PLATFORM_LOCAL must be exactly'],
    [{ PLATFORM_PUBLIC_URL: undefined }, 'PLATFORM_PUBLIC_URL is not set'],
    [{ DATABASE_URL: 'postgres://db/platform' }, 'PAYMENT_ENCRYPTION_KEY is not set'],
    [{ PAYMENT_ENCRYPTION_KEY: '0x12' }, 'PAYMENT_ENCRYPTION_KEY must hold 0x and 64 hex digits'],
    [
      { PLATFORM_LOCAL: 'true', PLATFORM_PORT: '0', PLATFORM_PUBLIC_URL: '' },
      'PLATFORM_PUBLIC_URL is not set',
    ],
    [{ PLATFORM_PUBLIC_URL: 'http://farebox.example' }, 'PLATFORM_PUBLIC_URL must be an https URL'],
    [{ PLATFORM_PUBLIC_URL: 'https://farebox.example/app' }, 'PLATFORM_PUBLIC_URL must be an origin alone'],
    [{ PLATFORM_NETWORK: 'base' }, 'PLATFORM_NETWORK must be one of eip155:8453'],
    [{ AGENT_REGISTRY_ADDRESS: undefined }, 'AGENT_REGISTRY_ADDRESS is not set'],
    [{ AGENT_REGISTRY_ADDRESS: '0x12' }, 'AGENT_REGISTRY_ADDRESS '],
    [{ AGENT_REGISTRY_BLOCK: '-1' }, 'AGENT_REGISTRY_BLOCK must be a whole number'],
    [{ EVM_RPC_URL: undefined }, 'EVM_RPC_URL is not set'],
    [
      { PLATFORM_TRUSTED_PROXIES: '10.0.0.1,nginx' },
      'PLATFORM_TRUSTED_PROXIES must be addresses or CIDR ranges',
    ],
    [
      { FACILITATOR_URL: 'http://127.0.0.1:4010' },
      'FACILITATOR_URL and FACILITATOR_ADMIN_TOKEN belong together',
    ],
    [{ CANARY_DAILY_BUDGET: '1' }, 'CANARY_PRIVATE_KEY and CANARY_DAILY_BUDGET belong together'],
    [{ CANARY_PRIVATE_KEY: KEY, CANARY_DAILY_BUDGET: '1,5' }, 'CANARY_DAILY_BUDGET '],
    [
      { CANARY_PRIVATE_KEY: '0x12', CANARY_DAILY_BUDGET: '1' },
      'CANARY_PRIVATE_KEY must hold 0x and 64 hex digits',
    ],
    [{ PLATFORM_OPERATOR_TOKEN: 'short' }, 'PLATFORM_OPERATOR_TOKEN must be at least 16 characters'],
    [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a postgres:// URL'],
    [{ PLATFORM_CHECK_SECONDS: '0' }, 'PLATFORM_CHECK_SECONDS must be a whole number'],
  ])('%o', (variables, message) => {
    expect(() => read(variables)).toThrow(message)
  })

  test.each([
    '1.2.3',
    '1.2.3.4/33',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    '::ffff:1.2.3.0/120',
    'own.example',
    '2a00::/129',
  ])('a blocked address %s', address => {
    expect(() => read({ PLATFORM_SHUNNED_ADDRESSES: `5.6.7.8,${address}` })).toThrow(
      `PLATFORM_SHUNNED_ADDRESSES must be addresses or CIDR ranges, with commas, got "${address}"`,
    )
  })

  test.each(['https://victim.example', 'victim', 'Victim.example', '*.victim.example'])(
    'a blocked host %s',
    name => {
      expect(() => read({ PLATFORM_SHUNNED_HOSTS: `fine.example,${name}` })).toThrow(
        `PLATFORM_SHUNNED_HOSTS must be host names in lower case, with commas, such as agents.example, got "${name}"`,
      )
    },
  )
})

test('the key of the faucet is read on a local chain and refused anywhere else', () => {
  const local = { PLATFORM_LOCAL: 'true', FAUCET_PRIVATE_KEY: KEY }
  expect(read(local).settings.faucetKey).toBe(KEY)
  expect(() => read({ FAUCET_PRIVATE_KEY: KEY })).toThrow(
    'FAUCET_PRIVATE_KEY can be set only where PLATFORM_LOCAL is true',
  )
})
