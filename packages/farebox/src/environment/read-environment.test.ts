import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { EnvironmentError } from './environment-error.ts'
import { readEnvironment, type Environment, type Variables } from './read-environment.ts'

const WALLET = '0x00000000000000000000000000000000000fa4e0'
/** The example of EIP-55. */
const CHECKSUMMED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

let keccak256: Awaited<ReturnType<typeof loadKeccak>>
beforeAll(async () => {
  keccak256 = await loadKeccak()
})

function read(variables: Variables = {}): Environment {
  return readEnvironment(
    { SERVICE_DEV_MODE: 'false', AGENT_WALLET_ADDRESS: WALLET, ...variables },
    { keccak256 },
  )
}

function refusal(variables: Variables): EnvironmentError {
  try {
    read(variables)
  } catch (error) {
    if (error instanceof EnvironmentError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(variables)} was taken`)
}

test('D30 the two required variables are enough; the others have defaults', () => {
  expect(read()).toEqual({
    devMode: false,
    wallet: WALLET,
    facilitatorSecret: undefined,
    facilitatorUrl: 'http://127.0.0.1:4010',
    port: 3000,
    network: expect.objectContaining({ id: 'eip155:8453' }),
    store: 'lmdb:.farebox/jobs',
    rpcUrl: undefined,
    publicUrl: undefined,
    logFormat: 'text',
    isolation: 'none',
    leastDeadlineSeconds: 0,
    drainSeconds: 0,
    metrics: undefined,
  })
  expect(Object.isFrozen(read())).toBe(true)
})

describe('SERVICE_DEV_MODE', () => {
  test('OPS-01 only exactly "true" turns payments off, only exactly "false" turns them on', () => {
    expect(read({ SERVICE_DEV_MODE: 'true' }).devMode).toBe(true)
    expect(read({ SERVICE_DEV_MODE: 'false' }).devMode).toBe(false)
  })

  test.each([
    '',
    'False',
    'FALSE',
    '0',
    'no',
    ' false',
    'false ',
    'false\n',
    '"false"',
    'off',
    'TRUE',
    'True',
    '1',
    'yes',
    'on',
    ' true',
    'true ',
    'true\n',
    '"true"',
    'null',
    'undefined',
  ])('OPS-01 %j is refused with the valid values', value => {
    expect(refusal({ SERVICE_DEV_MODE: value })).toMatchObject({
      variable: 'SERVICE_DEV_MODE',
      message: `SERVICE_DEV_MODE must be exactly "true" or "false", got ${JSON.stringify(value)}`,
      hint: expect.stringMatching(/SERVICE_DEV_MODE=false to take payments/),
    })
  })

  test('OPS-01 unset is refused', () => {
    expect(refusal({ SERVICE_DEV_MODE: undefined }).message).toBe('SERVICE_DEV_MODE is not set')
  })
})

describe('AGENT_WALLET_ADDRESS', () => {
  test.each([WALLET, WALLET.toUpperCase().replace('0X', '0x'), CHECKSUMMED])(
    'D30 %s is served as given',
    wallet => {
      expect(read({ AGENT_WALLET_ADDRESS: wallet }).wallet).toBe(wallet)
    },
  )

  test.each([
    ['missing', undefined, /is not set/],
    ['empty', '', /is not set/],
    ['the placeholder', '${AGENT_WALLET_ADDRESS}', /must be an address/],
    ['zero', `0x${'0'.repeat(40)}`, /zero address/],
    ['mistyped', CHECKSUMMED.replace('5aA', '5AA'), /checksum/],
    ['a name', 'farebox.eth', /must be an address/],
    ['without 0x', WALLET.slice(2), /must be an address/],
    ['followed by a space', `${WALLET} `, /must be an address/],
    ['a private key', `0x${'1'.repeat(64)}`, /must be an address/],
  ])('OPS-09 %s is refused', (_, value, problem) => {
    const error = refusal({ AGENT_WALLET_ADDRESS: value })
    expect(error).toMatchObject({ variable: 'AGENT_WALLET_ADDRESS', message: expect.stringMatching(problem) })
    expect(error.hint).toContain('AGENT_WALLET_ADDRESS')
    // A key pasted into the wrong variable must not end up in a log.
    expect(error.message).not.toContain('1111')
  })
})

describe('FACILITATOR_SECRET', () => {
  test('D11 is optional, and an empty value counts as missing', () => {
    expect(read({ FACILITATOR_SECRET: 'fs_abc' }).facilitatorSecret).toBe('fs_abc')
    expect(read({ FACILITATOR_SECRET: '' }).facilitatorSecret).toBeUndefined()
  })

  test.each(['fs abc', 'fs_abc\n', '\tfs_abc', 'fs_äbc', `fs_${'a'.repeat(600)}`])(
    'D30 %j is refused, without being repeated in the error',
    value => {
      const { message, hint, variable } = refusal({ FACILITATOR_SECRET: value })
      expect(variable).toBe('FACILITATOR_SECRET')
      expect(message + hint).not.toMatch(/fs_|abc|äbc/)
    },
  )

  test.each([
    { SERVICE_DEV_MODE: 'maybe' },
    { AGENT_WALLET_ADDRESS: '0x1' },
    { PORT: 'x' },
    { FACILITATOR_URL: 'ftp://x' },
    { SERVICE_NETWORK: 'eip155:0' },
    { SERVICE_STORE: 'file:x' },
    { SERVICE_RPC_URL: '::' },
    { SERVICE_PUBLIC_URL: 'x' },
    { SERVICE_LOG: 'xml' },
  ])('OPS-08 no other error repeats it: %j', variables => {
    const { message, hint } = refusal({ FACILITATOR_SECRET: 'fs_sentinel', ...variables })
    expect(message + hint).not.toContain('fs_sentinel')
    expect(message).toMatch(new RegExp(`^${Object.keys(variables).join('')} `))
  })
})

describe('PORT', () => {
  test.each([
    ['8080', 8080],
    ['0', 0],
    ['65535', 65_535],
  ])('OPS-10 %j is accepted', (value, port) => {
    expect(read({ PORT: value }).port).toBe(port)
  })

  test('defaults to 3000', () => {
    expect(read({ PORT: undefined }).port).toBe(3000)
  })

  test.each(['', '3000abc', '-1', '70000', '65536', ' 3000', '3000 ', '3e3', '0x10', '3000.5', 'auto'])(
    'OPS-10 %j is refused',
    value => {
      expect(refusal({ PORT: value }).message).toBe(
        `PORT must be a port number from 0 to 65535, got ${JSON.stringify(value)}`,
      )
    },
  )
})

describe('SERVICE_DRAIN_SECONDS', () => {
  test('D32 is 0 to 15 whole seconds', () => {
    for (const [value, seconds] of [
      ['15', 15],
      ['0', 0],
      ['', 0],
    ] as const)
      expect(read({ SERVICE_DRAIN_SECONDS: value }).drainSeconds).toBe(seconds)
    expect(read({}).drainSeconds).toBe(0)
  })

  test.each(['16', '-1', '1.5', '5s', ' 5'])('D32 %j is refused', value => {
    expect(refusal({ SERVICE_DRAIN_SECONDS: value })).toMatchObject({
      variable: 'SERVICE_DRAIN_SECONDS',
      message: `SERVICE_DRAIN_SECONDS must be a whole number of seconds from 0 to 15, got ${JSON.stringify(value)}`,
    })
  })
})

describe('SERVICE_METRICS_PORT', () => {
  test('D31 turns metrics on, on loopback unless a host is set', () => {
    expect(read({ SERVICE_METRICS_PORT: '9464' }).metrics).toEqual({ host: '127.0.0.1', port: 9464 })
    const open = { SERVICE_METRICS_PORT: '0', SERVICE_METRICS_HOST: '::' }
    expect(read(open).metrics).toEqual({ host: '::', port: 0 })
    expect(read({ SERVICE_METRICS_PORT: '', SERVICE_METRICS_HOST: '0.0.0.0' }).metrics).toBeUndefined()
  })

  test('is refused when it is not a port, or its host is not a host', () => {
    expect(refusal({ SERVICE_METRICS_PORT: '-1' }).variable).toBe('SERVICE_METRICS_PORT')
    expect(refusal({ SERVICE_METRICS_PORT: '1', SERVICE_METRICS_HOST: 'a b' }).variable).toBe(
      'SERVICE_METRICS_HOST',
    )
  })
})

test('OPS-08 a secret in the wrong variable is not repeated in the error', () => {
  const secret = 'a-secret-of-more-than-a-word'
  for (const variable of [
    'PORT',
    'SERVICE_METRICS_PORT',
    'SERVICE_NETWORK',
    'SERVICE_DEV_MODE',
    'SERVICE_LOG',
  ]) {
    const { message, hint } = refusal({ [variable]: secret })
    expect(message).toContain(variable)
    expect(message + hint).not.toContain('secret-of')
  }
})

describe('SERVICE_NETWORK', () => {
  test('D12 must be a known network', () => {
    expect(read({ SERVICE_NETWORK: 'eip155:84532' }).network.name).toBe('Base Sepolia')
    expect(read({ SERVICE_NETWORK: undefined }).network.id).toBe('eip155:8453')
  })

  test.each(['', 'base', 'eip155:9999999', 'eip155:08453', 'EIP155:8453', ' eip155:8453', '8453'])(
    'D12 %j is refused, with the known networks',
    value => {
      expect(refusal({ SERVICE_NETWORK: value })).toMatchObject({
        variable: 'SERVICE_NETWORK',
        hint: expect.stringContaining('eip155:8453, eip155:84532'),
      })
    },
  )
})

describe('URLs', () => {
  test.each(['FACILITATOR_URL', 'SERVICE_RPC_URL', 'SERVICE_PUBLIC_URL'])(
    'D30 %s must be http or https',
    name => {
      for (const value of [
        'localhost:4010',
        'ftp://a.example',
        'a.example',
        'https://',
        'https:// a.example',
        ' https://a.example',
        'https://a.example\n',
      ]) {
        expect(refusal({ [name]: value }).variable, value).toBe(name)
      }
    },
  )

  test('D30 valid URLs are used as given', () => {
    expect(
      read({
        FACILITATOR_URL: 'https://pay.example',
        SERVICE_RPC_URL: 'https://node.example/v2/key?a=b',
        SERVICE_PUBLIC_URL: 'https://a.example/agents/1',
      }),
    ).toMatchObject({
      facilitatorUrl: 'https://pay.example',
      rpcUrl: 'https://node.example/v2/key?a=b',
      publicUrl: 'https://a.example/agents/1',
    })
  })

  test('D13 the public URL is stored without trailing slashes', () => {
    expect(read({ SERVICE_PUBLIC_URL: 'https://a.example//' }).publicUrl).toBe('https://a.example')
  })

  test.each(['https://a.example/?x=1', 'https://a.example/#top', 'https://user:word@a.example'])(
    'D13 %s is refused as a public URL, because callers append a path to it',
    value => {
      const { variable, message } = refusal({ SERVICE_PUBLIC_URL: value })
      expect(variable).toBe('SERVICE_PUBLIC_URL')
      expect(message).not.toContain('word')
    },
  )

  test('OPS-08 a refused node URL is not repeated, because it may contain a key', () => {
    const { message, hint } = refusal({ SERVICE_RPC_URL: 'wss://node.example/v2/sentinel' })
    expect(message + hint).not.toContain('sentinel')
  })
})

describe('SERVICE_STORE', () => {
  test.each(['memory:', 'lmdb:jobs', 'redis://localhost:6379/0', 'rediss://host'])(
    'D25 %s is a store',
    value => {
      expect(read({ SERVICE_STORE: value }).store).toBe(value)
    },
  )

  test.each(['memory', 'memory:x', 'lmdb:', 'redis:', 'postgres://user:sentinel@host', 'lmdb'])(
    'D25 %s is refused, without being repeated in the error',
    value => {
      const { variable, message } = refusal({ SERVICE_STORE: value })
      expect(variable).toBe('SERVICE_STORE')
      expect(message).not.toContain('sentinel')
    },
  )
})

test('D27 SERVICE_LOG is text or json', () => {
  expect(read({ SERVICE_LOG: 'json' }).logFormat).toBe('json')
  expect(refusal({ SERVICE_LOG: 'JSON' }).message).toBe('SERVICE_LOG must be "text" or "json"')
})
