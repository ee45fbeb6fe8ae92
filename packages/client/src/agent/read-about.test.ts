import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { startTestAgent, type Reply, type TestAgent } from '../../testing/agent.ts'
import { createTestClock, type TestClock } from '../../testing/clock.ts'
import { readAgentUrl } from './agent-url.ts'
import { readAbout } from './read-about.ts'

let crypto: EvmCrypto
let clock: TestClock
let agent: TestAgent

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  clock = createTestClock(1_800_000_000)
  agent = await startTestAgent(crypto, clock)
})

afterEach(async () => {
  await agent.close()
  expect(clock.waiting(), 'no timer is left behind').toBe(0)
})

describe('/about', () => {
  test('returns the declaration, by the base URL with or without a slash', async () => {
    expect(await readAbout(agent.url, { clock })).toEqual(agent.declaration)
    expect(await readAbout(`${agent.url}/?x#y`, { clock })).toEqual(agent.declaration)
  })

  const json = (body: unknown): Reply => ({ status: 200, body })
  test.each<[string, Reply, string]>([
    ['a 404', { status: 404, body: {} }, 'serves no /about'],
    ['a 500', { status: 500, body: {} }, 'HTTP 500'],
    ['a redirect', { status: 301, headers: { location: '/health' }, body: '' }, 'redirect'],
    ['HTML', { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>' }, 'not JSON'],
    ['broken JSON', json('{'), 'not JSON'],
    ['more than 256 KB', json(JSON.stringify('x'.repeat(262_145))), 'larger than 262144 bytes'],
    ['an array', json([]), 'must be a JSON object'],
    ['a declaration without a price', json({ service_version: '1.0' }), 'name: is required'],
  ])('a response that is %s is not used', async (_, reply, reason) => {
    agent.lie = () => reply
    await expect(readAbout(agent.url, { clock })).rejects.toMatchObject({
      name: 'UnusableAnswer',
      httpStatus: reply.status,
      message: expect.stringContaining(reason),
    })
  })

  test('a declaration with the placeholder names no wallet to pay', async () => {
    agent.declaration = { ...agent.declaration, wallet: '${AGENT_WALLET_ADDRESS}' }
    await expect(readAbout(agent.url, { clock })).rejects.toThrow('placeholder')
  })

  test('a response that takes longer than 10 s is not awaited', async () => {
    const never = (): Promise<Response> => new Promise(() => setImmediate(() => clock.pass(10_000)))
    await expect(readAbout(agent.url, { clock, fetch: never })).rejects.toMatchObject({
      name: 'AgentUnreachable',
      message: 'no answer within 10 s',
    })
  })

  test('is requested without cookies, caches or redirects', async () => {
    const inits: RequestInit[] = []
    await readAbout(agent.url, {
      clock,
      fetch: (url, init) => {
        inits.push(init)
        return fetch(url, init)
      },
    })
    expect(inits).toMatchObject([
      { redirect: 'manual', credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer' },
    ])
  })

  test('an abort rejects with its reason', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(readAbout(agent.url, { clock, signal })).rejects.toThrow('enough')
  })
})

describe('an agent’s URL', () => {
  test.each([
    ['https://agent.example/', 'https://agent.example'],
    ['https://agent.example:8443/base//?q#f', 'https://agent.example:8443/base'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://a.localhost', 'http://a.localhost'],
    ['http://127.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%s is %s', (url, base) => {
    expect(readAgentUrl(url, { allowHttp: false })).toBe(base)
  })

  test.each([
    ['http://agent.example'],
    ['http://127.0.0.1.agent.example'],
    ['http://localhost.agent.example'],
    ['http://169.254.169.254'],
    ['ftp://agent.example'],
    ['file:///etc/passwd'],
    ['https://user:secret@agent.example'],
    ['agent.example'],
    [''],
  ])('%s is refused', url => {
    expect(() => readAgentUrl(url, { allowHttp: false })).toThrow(TypeError)
  })

  test('http is accepted for any host when the caller allows it', () => {
    expect(readAgentUrl('http://agent.example', { allowHttp: true })).toBe('http://agent.example')
  })
})
