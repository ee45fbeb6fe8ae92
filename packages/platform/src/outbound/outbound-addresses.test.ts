import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../test-setup/network/certificate.ts'
import { HOSTILE_URLS, TREACHEROUS_NAMES } from '../test-setup/network/hostile-urls.ts'
import { startNameServer } from '../test-setup/network/name-server.ts'
import {
  createPretendInternet,
  type Names,
  type PretendInternet,
} from '../test-setup/network/pretend-internet.ts'
import { answer, startUntrustedHost, type UntrustedHost } from '../test-setup/network/untrusted-host.ts'
import { PROBE_LIMITS } from './limits.ts'
import { createOutbound, type Outbound, type OutboundOutcome } from './outbound.ts'
import { isAllowedAddress, readAddressBlock } from './address/public-address.ts'
import { createResolve } from './address/resolve-name.ts'

const PUBLIC = '93.184.216.34'
const PUBLIC_SIX = '2606:4700::1111'
const certificate = makeCertificate(['*.agents.example', 'agents.example'])

let stranger: UntrustedHost
let canaries: readonly UntrustedHost[]
let internet: PretendInternet
let outbound: Outbound | undefined

beforeAll(async () => {
  stranger = await startUntrustedHost(answer('hello'), { certificate })
  canaries = [
    await startUntrustedHost(answer('inside')),
    await startUntrustedHost(answer('inside'), { host: '::1' }),
  ]
})

beforeEach(() => async () => {
  await outbound?.close()
  outbound = undefined
})

afterAll(async () => {
  await Promise.all([stranger, ...canaries].map(server => server.close()))
})

interface Shunned {
  readonly shunnedHosts?: readonly string[]
  readonly shunnedAddresses?: readonly string[]
}

function guard(names: Names, { shunnedHosts = [], shunnedAddresses = [] }: Shunned = {}): Outbound {
  internet = createPretendInternet(names, { [PUBLIC]: stranger.port, [PUBLIC_SIX]: stranger.port })
  outbound = createOutbound({
    localMode: false,
    shunnedHosts,
    shunnedAddresses: shunnedAddresses.map(one => readAddressBlock(one) ?? expect.fail(one)),
    resolve: internet.resolve,
    connectTo: internet.connectTo,
    ca: certificate.certificate,
  })
  return outbound
}

function look(at: Outbound, url: string): Promise<OutboundOutcome> {
  return at.send({ url, method: 'GET', ...PROBE_LIMITS, timeoutMs: 5_000 })
}

function canaryCalls(): number {
  return canaries.reduce((sum, canary) => sum + canary.connections(), 0)
}

test('SSRF-07 an owner who opted out gets no calls: no name is resolved and no socket opened', async () => {
  const name = 'one.agents.example'
  const outcome = await look(
    guard({ [name]: [PUBLIC] }, { shunnedHosts: ['agents.example'] }),
    `https://${name}/health`,
  )
  expect(outcome).toMatchObject({ kind: 'failed', reason: 'refused-address', mayHaveArrived: false })
  expect([internet.lookups, internet.connects]).toEqual([[], []])
})

test('SSRF-01 a public address that leads back to the platform is not called, nor a name that also has it', async () => {
  const names = { 'one.agents.example': [PUBLIC], 'two.agents.example': [PUBLIC_SIX, PUBLIC] }
  const own = guard(names, { shunnedAddresses: ['93.184.216.0/24'] })
  for (const name of Object.keys(names))
    expect(await look(own, `https://${name}/health`)).toMatchObject({
      kind: 'failed',
      reason: 'refused-address',
      detail: `shunned: ${PUBLIC}`,
    })
  expect(internet.connects).toEqual([])
  const others = guard(names, { shunnedAddresses: ['93.184.217.0/24'] })
  expect(await look(others, 'https://one.agents.example/health')).toMatchObject({ kind: 'answered' })
})

describe('SSRF-01 no connection to addresses that are not public', () => {
  test('the corpus of spellings: no socket is opened and no name resolved', async () => {
    const sending = guard({})
    for (const canary of canaries) {
      for (const [written] of HOSTILE_URLS) {
        const outcome = await look(sending, written.replace('PORT', String(canary.port)))
        expect(outcome).toMatchObject({ kind: 'failed', reason: 'refused-address', mayHaveArrived: false })
      }
    }
    expect([internet.connects, internet.lookups]).toEqual([[], []])
  })

  test('the corpus of spellings over the real network: the canaries receive no request', async () => {
    outbound = createOutbound({ localMode: false })
    for (const canary of canaries) {
      for (const [written] of HOSTILE_URLS) {
        const outcome = await look(outbound, written.replace('PORT', String(canary.port)))
        expect(outcome).toMatchObject({ kind: 'failed', reason: 'refused-address' })
      }
    }
    expect(canaryCalls()).toBe(0)
  })

  test.each(Object.keys(TREACHEROUS_NAMES))('%s resolves to an address that is not public', async host => {
    expect(await look(guard(TREACHEROUS_NAMES), `https://${host}/`)).toMatchObject({
      kind: 'failed',
      reason: 'refused-address',
      mayHaveArrived: false,
    })
    expect([internet.connects, internet.lookups]).toEqual([[], [host]])
  })

  test('names that lead to the canaries over the real network: they receive no request', async () => {
    for (const canary of canaries) {
      outbound = createOutbound({ localMode: false, resolve: async () => ['127.0.0.1', '::1'] })
      const outcome = await look(outbound, `https://rebound.agents.example:${canary.port}/`)
      expect(outcome).toMatchObject({ kind: 'failed', reason: 'refused-address' })
      await outbound.close()
    }
    expect(canaryCalls()).toBe(0)
  })
})

describe('SSRF-02 the address judged is the address connected to', () => {
  test('a public name is called, with the name used for TLS and for Host', async () => {
    const outcome = await look(
      guard({ 'one.agents.example': [PUBLIC] }),
      'https://One.agents.example./health?x=1',
    )
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, body: 'hello' })
    expect(internet.connects).toEqual([PUBLIC])
    expect(stranger.serverNames.at(-1)).toBe('one.agents.example')
    expect(stranger.requests.at(-1)).toMatch(
      /^GET \/health\?x=1 HTTP\/1\.1\r\nhost: one\.agents\.example\r\n/,
    )
  })

  test('a name that starts to resolve to a private address is refused at its next connection', async () => {
    const sending = guard({ 'turn.agents.example': [[PUBLIC], ['127.0.0.1']] })
    const request = { method: 'GET', ...PROBE_LIMITS, url: 'https://turn.agents.example/' } as const
    const tooLittle = { ...request, maxBytes: 1 }
    expect(await sending.send(tooLittle)).toMatchObject({ kind: 'failed', reason: 'too-large' })
    expect(await sending.send(request)).toMatchObject({ kind: 'failed', reason: 'refused-address' })
    expect(internet.connects).toEqual([PUBLIC])
  })

  test('a name is resolved once for a connection, and not at all for a kept one', async () => {
    const sending = guard({ 'kept.agents.example': [[PUBLIC], ['127.0.0.1']] })
    expect(await look(sending, 'https://kept.agents.example/')).toMatchObject({ kind: 'answered' })
    expect(await look(sending, 'https://kept.agents.example/')).toMatchObject({ kind: 'answered' })
    expect([internet.connects, internet.lookups]).toEqual([[PUBLIC], ['kept.agents.example']])
  })

  test('a connection that reached another address than requested is closed before a byte is sent', async () => {
    const before = stranger.requests.length
    outbound = createOutbound({
      localMode: false,
      resolve: async () => [PUBLIC],
      connectTo: () => connect({ host: '127.0.0.1', port: stranger.port }),
      ca: certificate.certificate,
    })
    expect(await look(outbound, 'https://one.agents.example/')).toMatchObject({
      kind: 'failed',
      reason: 'refused-address',
      mayHaveArrived: false,
    })
    expect(stranger.requests.length).toBe(before)
  })

  test('an address that does not respond is followed by the next', async () => {
    const outcome = await look(
      guard({ 'two.agents.example': ['93.184.216.99', PUBLIC_SIX] }),
      'https://two.agents.example/',
    )
    expect(outcome).toMatchObject({ kind: 'answered' })
    expect(internet.connects).toEqual(['93.184.216.99', PUBLIC_SIX])
  })

  test('a certificate for another name is refused before the request is sent', async () => {
    const before = stranger.requests.length
    expect(await look(guard({ 'other.example.com': [PUBLIC] }), 'https://other.example.com/')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      mayHaveArrived: false,
    })
    expect(stranger.requests.length).toBe(before)
  })

  test('a CNAME to a private host is refused for its final address, by the real resolver', async () => {
    const names = await startNameServer(name => [
      { name, type: 'CNAME', data: 'db.internal' },
      { name: 'db.internal', type: 'A', data: name.startsWith('in') ? '10.0.0.5' : PUBLIC },
    ])
    internet = createPretendInternet({}, { [PUBLIC]: stranger.port })
    const { connectTo } = internet
    const resolve = createResolve([names.address])
    outbound = createOutbound({ localMode: false, resolve, connectTo, ca: certificate.certificate })
    expect(await look(outbound, 'https://in.agents.example/')).toMatchObject({ reason: 'refused-address' })
    expect(await look(outbound, 'https://out.agents.example/')).toMatchObject({ kind: 'answered' })
    expect(internet.connects).toEqual([PUBLIC])
    expect(names.questions.toSorted()).toEqual([
      'A in.agents.example',
      'A out.agents.example',
      'AAAA in.agents.example',
      'AAAA out.agents.example',
    ])
    await names.close()
  })

  test('a name without an address is unreachable', async () => {
    expect(await look(guard({}), 'https://none.agents.example/')).toMatchObject({
      kind: 'failed',
      reason: 'unreachable',
      mayHaveArrived: false,
    })
  })
})

describe('D37 the local mode', () => {
  test('reaches loopback without TLS, by address and by name, but no other private address', async () => {
    outbound = createOutbound({ localMode: true, resolve: async () => ['10.0.0.1'] })
    const [four, six] = canaries
    for (const url of [
      `http://127.0.0.1:${four?.port}/`,
      `http://[::1]:${six?.port}/`,
      `http://localhost:${six?.port}`,
    ]) {
      expect(await look(outbound, url)).toMatchObject({ kind: 'answered', body: 'inside' })
    }
    expect(await look(outbound, 'https://inner.agents.example/')).toMatchObject({ reason: 'refused-address' })
    expect(await look(outbound, 'http://10.0.0.1:3000/')).toMatchObject({ reason: 'refused-address' })
  })
})

test('the addresses that this file calls public are allowed', () => {
  expect([PUBLIC, PUBLIC_SIX].map(address => isAllowedAddress(address, false))).toEqual([true, true])
})
