import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { beforeAll, expect, test } from 'vitest'
import { isWithin } from '../outbound/address/public-address.ts'
import { makeCertificate } from '../test-setup/network/certificate.ts'
import { ownServicesAt, readPrivateNetworks } from './read-private-networks.ts'

const OWNER = `0x${'ab'.repeat(20)}`
const AUTHORITY = makeCertificate(['agents.svc']).certificate.trim()
const ALL = {
  PLATFORM_PRIVATE_OWNERS: OWNER,
  PLATFORM_PRIVATE_HOSTS: 'agents.svc',
  PLATFORM_PRIVATE_ADDRESSES: '10.1.0.0/16',
}

let crypto: EvmCrypto
beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

function read(variables: { readonly [name: string]: string }) {
  const readFile = (path: string): string => {
    if (path === '/etc/ca.pem') return AUTHORITY
    if (path === '/etc/key.pem') return 'no certificate'
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  return readPrivateNetworks({ variables, readFile }, name => variables[name], crypto)
}

test('D54 private networks are closed by default', () => {
  expect(read({})).toBeUndefined()
})

test('D54 owners, hosts, addresses and the authority are read', () => {
  const networks = read({
    PLATFORM_PRIVATE_OWNERS: `${OWNER}, 0x${'CD'.repeat(20)}`,
    PLATFORM_PRIVATE_HOSTS: 'agents.svc.cluster.local, billing',
    PLATFORM_PRIVATE_ADDRESSES: '10.1.0.0/16,fd12::/32, 192.168.7.7',
    PLATFORM_PRIVATE_CA_FILE: '/etc/ca.pem',
  })
  expect(networks).toMatchObject({
    owners: new Set([OWNER, `0x${'cd'.repeat(20)}`]),
    hosts: ['agents.svc.cluster.local', 'billing'],
    ca: AUTHORITY,
  })
  const inside = (address: string): boolean => isWithin(address, networks?.addresses ?? [])
  expect(['10.1.2.3', 'fd12::9', '192.168.7.7', '10.2.0.1', '192.168.7.8'].map(inside)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test.each(Object.keys(ALL))('D54 %s alone is refused, with the variable that is missing', name => {
  const others = Object.entries(ALL).filter(([other]) => other !== name)
  expect(() => read(Object.fromEntries(others))).toThrow(new RegExp(`^${name} names nothing: `))
  expect(() => read({ ...ALL, PLATFORM_PRIVATE_OWNERS: ',' })).toThrow(
    /^PLATFORM_PRIVATE_OWNERS names nothing: /,
  )
  expect(() => read({ PLATFORM_PRIVATE_CA_FILE: '/etc/ca.pem' })).toThrow(
    /^PLATFORM_PRIVATE_OWNERS names nothing: /,
  )
})

test.each([
  ['PLATFORM_PRIVATE_OWNERS', '0x12', 'PLATFORM_PRIVATE_OWNERS must be addresses of owners'],
  ['PLATFORM_PRIVATE_HOSTS', 'localhost', 'PLATFORM_PRIVATE_HOSTS must be host names in lower case'],
  ['PLATFORM_PRIVATE_HOSTS', 'x.localhost', 'got "x.localhost"'],
  ['PLATFORM_PRIVATE_HOSTS', '10.1.2.3', 'got "10.1.2.3"'],
  ['PLATFORM_PRIVATE_HOSTS', '.svc', 'got ".svc"'],
  ['PLATFORM_PRIVATE_HOSTS', '*.svc', 'got "*.svc"'],
  ['PLATFORM_PRIVATE_HOSTS', 'Agents.svc', 'got "Agents.svc"'],
  ['PLATFORM_PRIVATE_HOSTS', 'https://agents.svc', 'got "https://agents.svc"'],
  [
    'PLATFORM_PRIVATE_ADDRESSES',
    '10.1.0.0/33',
    'PLATFORM_PRIVATE_ADDRESSES must be addresses or CIDR ranges',
  ],
  ['PLATFORM_PRIVATE_ADDRESSES', 'agents.svc', 'got "agents.svc"'],
  [
    'PLATFORM_PRIVATE_CA_FILE',
    '/etc/none.pem',
    'there is no such file; name a file that holds certificates in PEM',
  ],
  ['PLATFORM_PRIVATE_CA_FILE', '/etc/key.pem', 'the file holds no certificate in PEM'],
])('%s=%s is refused', (name, value, reason) => {
  expect(() => read({ ...ALL, [name]: value })).toThrow(reason)
})

test('D54 the services of the platform are where its URLs lead, with the port that a scheme implies', () => {
  expect(
    ownServicesAt([
      'postgres://user:secret@db.internal/platform',
      'postgres://[fd12::5]:6000/platform',
      undefined,
      'postgres:///platform?host=/run/postgresql',
      'postgres://named/platform?host=10.1.0.5&port=4443',
      'http://node.internal:9545/key',
      'http://node.internal',
      'https://facilitator.internal/base',
    ]),
  ).toEqual([
    { host: 'db.internal', port: 5432 },
    { host: 'fd12::5', port: 6000 },
    { host: '10.1.0.5', port: 4443 },
    { host: 'node.internal', port: 9545 },
    { host: 'node.internal', port: 80 },
    { host: 'facilitator.internal', port: 443 },
  ])
})
