import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../test-setup/network/certificate.ts'
import { HOSTILE_URLS, TREACHEROUS_NAMES } from '../test-setup/network/hostile-urls.ts'
import {
  createPretendInternet,
  type Names,
  type PretendInternet,
} from '../test-setup/network/pretend-internet.ts'
import { answer, startUntrustedHost, type UntrustedHost } from '../test-setup/network/untrusted-host.ts'
import type { PrivateNetworks } from './address/private-networks.ts'
import { readAddressBlock } from './address/public-address.ts'
import { PROBE_LIMITS } from './limits.ts'
import { createOutbound, type Outbound, type OutboundOutcome } from './outbound.ts'

const NAMED = '0x1111111111111111111111111111111111111111'
const OTHER_OWNER = '0x2222222222222222222222222222222222222222'
const PUBLIC = '93.184.216.34'
const INSIDE = '10.1.2.3'
const INSIDE_SIX = 'fd12:3456::7'
/** Trusted only on the private network. */
const innerAuthority = makeCertificate(['*.agents.svc', 'billing', '*.corp.example', 'agents.svc'])

let agent: UntrustedHost
let internet: PretendInternet
let outbound: Outbound | undefined

beforeAll(async () => {
  agent = await startUntrustedHost(answer('inside'), { certificate: innerAuthority })
})

beforeEach(() => async () => {
  await outbound?.close()
  outbound = undefined
})

afterAll(() => agent.close())

interface Opened {
  readonly hosts?: readonly string[]
  readonly addresses?: readonly string[]
  readonly ownServices?: PrivateNetworks['ownServices']
  readonly shunnedAddresses?: readonly string[]
  /** The host behind every address. */
  readonly at?: UntrustedHost
}

/** A guard with 10.1.0.0/16 and fd12:3456::/32 opened to the agents of one owner. */
function guard(names: Names, opened: Opened = {}): Outbound {
  const { port } = opened.at ?? agent
  const addresses = Object.values(names).flat(2)
  internet = createPretendInternet(names, Object.fromEntries(addresses.map(address => [address, port])))
  const blocks = (texts: readonly string[]) => texts.map(text => readAddressBlock(text) ?? expect.fail(text))
  outbound = createOutbound({
    localMode: false,
    resolve: internet.resolve,
    connectTo: internet.connectTo,
    shunnedAddresses: blocks(opened.shunnedAddresses ?? []),
    privateNetworks: {
      owners: new Set([NAMED]),
      hosts: opened.hosts ?? ['agents.svc', 'billing', 'corp.example'],
      addresses: blocks(opened.addresses ?? ['10.1.0.0/16', 'fd12:3456::/32']),
      ca: innerAuthority.certificate,
      ownServices: opened.ownServices ?? [],
    },
  })
  return outbound
}

function look(at: Outbound, url: string, calledFor: string | undefined = NAMED): Promise<OutboundOutcome> {
  return at.send({ url, method: 'GET', ...PROBE_LIMITS, timeoutMs: 5_000, calledFor })
}

const REFUSED = { kind: 'failed', reason: 'refused-address', mayHaveArrived: false }

describe('D54 agents of the named owner', () => {
  test.each([
    ['a name of a cluster', 'count.agents.svc', [INSIDE]],
    ['a name without a dot', 'billing', [INSIDE]],
    ['a public name that leads inside', 'count.corp.example', [INSIDE_SIX, INSIDE]],
    ['a listed name itself', 'agents.svc', [INSIDE]],
  ])('%s is called, and its certificate checked with the authority of the operator', async (_, host, at) => {
    const opened = guard({ [host]: at })
    expect(opened.judge(`https://${host}:8443/`, NAMED)).toEqual({
      ok: true,
      url: `https://${host}:8443`,
      isPrivate: true,
    })
    expect(await look(opened, `https://${host}:8443/health`)).toMatchObject({
      kind: 'answered',
      body: 'inside',
    })
    expect(agent.serverNames.at(-1)).toBe(host)
  })

  test('the owner is looked up only when it matters', async () => {
    const opened = guard({ 'count.agents.svc': [INSIDE] })
    const request = { url: 'https://count.agents.svc/', method: 'GET', ...PROBE_LIMITS } as const
    expect(await opened.send({ ...request, calledFor: async () => NAMED })).toMatchObject({
      kind: 'answered',
    })
    expect(await opened.send({ ...request, calledFor: async () => undefined })).toMatchObject(REFUSED)
    const closed = createOutbound({ localMode: false, resolve: internet.resolve })
    const calledFor = (): Promise<string> => expect.fail('the owner was looked up')
    expect(await closed.send({ ...request, calledFor })).toMatchObject(REFUSED)
    await closed.close()
  })

  test('a block of public addresses can be allowed too', async () => {
    const opened = guard({ 'count.agents.svc': ['203.1.0.9'] }, { addresses: ['203.1.0.0/24'] })
    expect(await look(opened, 'https://count.agents.svc/')).toMatchObject({ kind: 'answered' })
  })

  test('a redirect is not followed', async () => {
    const moved = await startUntrustedHost(
      socket =>
        socket.write('HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1/\r\ncontent-length: 0\r\n\r\n'),
      { certificate: innerAuthority },
    )
    const opened = guard({ 'count.agents.svc': [INSIDE] }, { at: moved })
    expect(await look(opened, 'https://count.agents.svc/')).toMatchObject({ kind: 'answered', status: 302 })
    expect(internet.connects).toEqual([INSIDE])
    await moved.close()
  })
})

describe('D54 all other owners', () => {
  test.each([
    ['no owner, as of a webhook', undefined],
    ['another owner', OTHER_OWNER],
    ['the owner in another spelling', NAMED.replace('0x', '0X')],
  ])('%s gets the same answers as without private networks', async (_, calledFor) => {
    const opened = guard({ 'count.agents.svc': [INSIDE], billing: [INSIDE], 'count.corp.example': [INSIDE] })
    const closed = createOutbound({ localMode: false, resolve: internet.resolve })
    for (const host of ['count.agents.svc', 'billing', 'count.corp.example', 'other.corp.example']) {
      const url = `https://${host}/`
      expect(opened.judge(url, calledFor)).toEqual(closed.judge(url))
      const outcome = await opened.send({ url, method: 'GET', ...PROBE_LIMITS, calledFor })
      expect({ ...outcome, elapsedMs: 0 }).toEqual({
        ...(await closed.send({ url, method: 'GET', ...PROBE_LIMITS })),
        elapsedMs: 0,
      })
    }
    expect(internet.connects).toEqual([])
    await closed.close()
  })

  test('a connection that was kept for the named owner serves no other owner', async () => {
    const opened = guard({ 'count.corp.example': [INSIDE] })
    expect(await look(opened, 'https://count.corp.example/')).toMatchObject({ kind: 'answered' })
    const before = agent.requests.length
    expect(await look(opened, 'https://count.corp.example/', OTHER_OWNER)).toMatchObject(REFUSED)
    expect(agent.requests.length).toBe(before)
    expect(await look(opened, 'https://count.corp.example/')).toMatchObject({ kind: 'answered' })
    expect(internet.connects).toEqual([INSIDE])
  })

  test('the authority of the operator is not trusted for public addresses', async () => {
    const opened = guard({ 'count.corp.example': [PUBLIC] })
    for (const calledFor of [NAMED, OTHER_OWNER])
      expect(await look(opened, 'https://count.corp.example/', calledFor)).toMatchObject({
        reason: 'unreachable',
        mayHaveArrived: false,
      })
    expect(internet.connects).toEqual([PUBLIC, PUBLIC])
  })
})

describe('D54 never, also for the named owner', () => {
  const EVERYTHING = { addresses: ['0.0.0.0/0', '::/0'] }

  test.each(
    `127.0.0.1 127.8.8.8 ::1 ::ffff:127.0.0.1 0.0.0.0 :: 169.254.169.254 ::ffff:169.254.169.254 169.254.1.1 fe80::1
     168.63.129.16 100.100.100.200 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:42::42 192.0.0.192 224.0.0.1 255.255.255.255
     ff02::1 64:ff9b::a01:203 2002:a01:203:: 2001:0:a01:203:: ::10.1.2.3 fd12:3456::5efe:a01:203 fec0::1 240.0.0.1
     198.18.0.1`.split(/\s+/),
  )('%s, even on an opened network', async address => {
    const opened = guard({ 'count.agents.svc': [address] }, EVERYTHING)
    expect(await look(opened, 'https://count.agents.svc/')).toMatchObject(REFUSED)
    expect(internet.connects).toEqual([])
  })

  test.each([
    ['an address that is not opened', ['10.2.0.1']],
    ['a name that also leads elsewhere inside', [INSIDE, '10.2.0.1']],
    ['a name that also leads outside', [INSIDE, PUBLIC]],
    ['a name that also leads to this machine', [INSIDE, '127.0.0.1']],
    ['a name of a cluster that leads outside', [PUBLIC]],
  ])('%s', async (_, at) => {
    const opened = guard({
      'count.agents.svc': at,
      'count.corp.example': at.length === 1 ? ['10.2.0.1'] : at,
    })
    for (const host of ['count.agents.svc', 'count.corp.example'])
      expect(await look(opened, `https://${host}/`)).toMatchObject(REFUSED)
    expect(internet.connects).toEqual([])
  })

  test('a name that starts to resolve to this machine is refused at its next connection', async () => {
    const opened = guard({ 'count.agents.svc': [[INSIDE], ['127.0.0.1']] })
    const request = {
      url: 'https://count.agents.svc/',
      method: 'GET',
      ...PROBE_LIMITS,
      calledFor: NAMED,
    } as const
    expect(await opened.send({ ...request, maxBytes: 1 })).toMatchObject({ reason: 'too-large' })
    expect(await opened.send(request)).toMatchObject(REFUSED)
    expect(internet.connects).toEqual([INSIDE])
  })

  test.each([
    'https://evilagents.svc/',
    'https://agents.svc.evil.internal/',
    'https://billing2/',
    'https://x-billing/',
    'https://10.1.2.3/',
    'https://[fd12:3456::7]/',
    'https://167837187/',
    'https://0x0a010203/',
    'http://count.agents.svc/',
    'https://count.agents.svc:22/',
    'https://count.agents.svc:5432/',
    'https://count.agents.svc:6379/',
    'https://count.agents.svc:8545/',
    'https://u:p@count.agents.svc/',
    'https://count_1.agents.svc/',
    'https://localhost/',
    'https://count.localhost/',
  ])('%s', async url => {
    const opened = guard({}, EVERYTHING)
    expect(opened.judge(url, NAMED)).toMatchObject({ ok: false })
    expect(await look(opened, url)).toMatchObject(REFUSED)
    expect([internet.connects, internet.lookups]).toEqual([[], []])
  })

  test('SSRF-01 the corpus of spellings and of names', async () => {
    const opened = guard(TREACHEROUS_NAMES)
    for (const [written] of HOSTILE_URLS)
      expect(await look(opened, written.replace('PORT', String(agent.port)))).toMatchObject(REFUSED)
    for (const host of Object.keys(TREACHEROUS_NAMES))
      expect(await look(opened, `https://${host}/`)).toMatchObject(REFUSED)
    expect(internet.connects).toEqual([])
  })

  test('the services of the platform itself, under any name', async () => {
    const names = { 'ledger.agents.svc': [INSIDE], 'two.agents.svc': [INSIDE_SIX, '10.1.9.9'] }
    const opened = guard(names, {
      ownServices: [
        { host: INSIDE, port: 4010 },
        { host: '10.1.9.9', port: 4010 },
      ],
    })
    expect(await look(opened, 'https://ledger.agents.svc:4010/')).toMatchObject(REFUSED)
    expect(await look(opened, 'https://two.agents.svc:4010/')).toMatchObject(REFUSED)
    expect(internet.connects).toEqual([])
    expect(await look(opened, 'https://ledger.agents.svc:4011/')).toMatchObject({ kind: 'answered' })
  })

  test('no agent is called while a service on its port cannot be looked up', async () => {
    const ownServices = [{ host: 'no-such-service.invalid', port: 443 }]
    const opened = guard({ 'count.agents.svc': [INSIDE] }, { ownServices })
    expect(await look(opened, 'https://count.agents.svc/')).toMatchObject({
      kind: 'failed',
      mayHaveArrived: false,
    })
    expect(internet.connects).toEqual([])
  })

  test('addresses that must not be called', async () => {
    const opened = guard({ 'count.agents.svc': [INSIDE] }, { shunnedAddresses: [INSIDE] })
    expect(await look(opened, 'https://count.agents.svc/')).toMatchObject(REFUSED)
  })

  test('a certificate of another authority', async () => {
    const other = await startUntrustedHost(answer('inside'), {
      certificate: makeCertificate(['count.agents.svc']),
    })
    const opened = guard({ 'count.agents.svc': [INSIDE] }, { at: other })
    expect(await look(opened, 'https://count.agents.svc/')).toMatchObject({
      reason: 'unreachable',
      mayHaveArrived: false,
    })
    expect([other.connections(), other.requests]).toEqual([1, []])
    await other.close()
  })
})
