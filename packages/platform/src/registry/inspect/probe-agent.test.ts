import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CalledAgent } from '../../outbound/outbound.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { lieAt, moveIn, startSite, type AgentSite } from '../../test-setup/network/agent-site.ts'
import { sampleDeclaration } from '../../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { probeAgent } from './probe-agent.ts'

const WALLET = `0x${'a1'.repeat(20)}`
const OTHER = `0x${'b2'.repeat(20)}`

const called = (endpoint: string): CalledAgent => ({ endpoint, calledFor: undefined })

let stage: Stage
let parts: PlatformParts
let site: AgentSite

beforeAll(async () => {
  stage = await stagePlatform({ realTime: true })
  parts = stage.parts
})

beforeEach(async () => {
  site = await startSite()
})

afterEach(() => site.close())
afterAll(() => stage.close())

const json =
  (body: unknown, status = 200) =>
  (): Response =>
    Response.json(body, { status })

describe('an agent', () => {
  test('that is paid results in its declaration, with its wallet in lower case', async () => {
    await moveIn(site, { wallet: WALLET })
    expect(await probeAgent(parts, called(`${site.url}/`))).toEqual({
      kind: 'agent',
      wallet: WALLET,
      declaration: sampleDeclaration(WALLET),
    })
    expect(site.seen).toEqual(['GET /health', 'GET /about', 'POST /execute'])
  })

  test('D36 without /about is Phase 1, with the name in /health', async () => {
    await moveIn(site, { wallet: WALLET })
    lieAt(site, { '/about': json({}, 404) })
    expect(await probeAgent(parts, called(site.url))).toEqual({ kind: 'phase-1', name: 'Word counter' })
  })

  test('in dev mode is refused: it answers unpaid jobs', async () => {
    await moveIn(site, { wallet: WALLET, devMode: true })
    expect(await probeAgent(parts, called(site.url))).toMatchObject({ kind: 'refused', field: 'execute' })
    const capability = { ...sampleDeclaration(WALLET).capabilities['count'], input_schema: {} }
    // Oxlint cannot know that the sample has this capability.
    const declaration = { capabilities: { count: capability as never } }
    await moveIn(site, { wallet: WALLET, devMode: true, declaration })
    expect(await probeAgent(parts, called(site.url))).toEqual({
      kind: 'refused',
      field: 'execute',
      reason: 'answers unpaid jobs: dev mode is on, or nothing asks for payment',
    })
  })

  test('that takes payments on another chain is refused', async () => {
    await moveIn(site, { wallet: WALLET, network: 'eip155:8453' })
    expect(await probeAgent(parts, called(site.url))).toMatchObject({
      reason: 'does not take payments on eip155:84532',
    })
  })
})

describe('REG-07 the reason describes the error in a sentence of the platform', () => {
  const secret = 'metadata-secret-8f2'
  const health = (more: object): (() => Response) =>
    json({ name: 'A', version: '1.0', status: 'ok', ...more })
  const redirect = (): Response => new Response(secret, { status: 302, headers: { location: '/x' } })
  const option = (changes: object) => (): Response =>
    json(
      {
        x402Version: 1,
        accepts: [
          {
            scheme: 'exact',
            network: 'eip155:84532',
            maxAmountRequired: '10000',
            payTo: WALLET,
            asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
            ...changes,
          },
        ],
      },
      402,
    )()
  const declared = (changes: object) => json({ ...sampleDeclaration(WALLET), ...changes })

  test.each<[string, { [path: string]: () => Response }, string, string]>([
    [
      'a health that is down',
      { '/health': json(secret, 503) },
      'health',
      'answers with an error of the server',
    ],
    ['no health', { '/health': json(secret, 404) }, 'health', 'answers 404: there is no such route'],
    [
      'a health that redirects',
      { '/health': redirect },
      'health',
      'answers with a redirect, which is not followed',
    ],
    ['HTML', { '/health': () => new Response(`<h1>${secret}`) }, 'health', 'is not JSON'],
    [
      'another version',
      { '/health': health({ version: secret }) },
      'health',
      'does not answer {"name", "version": "1.0", "status": "ok"}',
    ],
    [
      'an /about that redirects',
      { '/about': redirect },
      'about',
      'answers with a redirect, which is not followed',
    ],
    ['an /about that fails', { '/about': json(secret, 500) }, 'about', 'answers with an error of the server'],
    [
      'a huge /about',
      { '/about': () => new Response('x'.repeat(300_000)) },
      'about',
      'is larger than 256 KB',
    ],
    [
      'a deep /about',
      { '/about': () => new Response('['.repeat(5_000) + ']'.repeat(5_000)) },
      'about',
      'is nested deeper than 64 levels',
    ],
    ['a malformed /about', { '/about': declared({ [secret]: 1 }) }, 'about', 'is not a valid declaration'],
    [
      'an /about with a NUL, which no database keeps',
      { '/about': declared({ description: `${secret}\0` }) },
      'about',
      'has a character that cannot be kept (U+0000)',
    ],
    [
      'a number that is larger than any',
      { '/about': () => new Response('{"max_deadline_seconds":1e400}') },
      'about',
      'has numbers that cannot be kept',
    ],
    [
      'half a surrogate pair',
      { '/about': () => new Response('{"\\ud800":1}') },
      'about',
      'has a character that cannot be kept (U+D800)',
    ],
    [
      'a placeholder for a wallet',
      { '/about': declared({ wallet: '${AGENT_WALLET_ADDRESS}' }) },
      'about',
      'does not name a wallet with a correct address',
    ],
    [
      'a wallet with a letter mistyped',
      { '/about': declared({ wallet: '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }) },
      'about',
      'does not name a wallet with a correct address',
    ],
    [
      'a 402 without accepts',
      { '/execute': json({ error: secret }, 402) },
      'execute',
      'answers 402 without saying how to pay',
    ],
    [
      'a 402 that is no JSON',
      { '/execute': () => new Response(secret, { status: 402 }) },
      'execute',
      'answers 402 without saying how to pay',
    ],
    [
      'another price',
      { '/execute': option({ maxAmountRequired: '9999' }) },
      'execute',
      'asks for another price than /about declares',
    ],
    [
      'another token',
      { '/execute': option({ asset: OTHER }) },
      'execute',
      'asks for another price than /about declares',
    ],
    [
      'another wallet',
      { '/execute': option({ payTo: OTHER }) },
      'execute',
      'asks to pay another wallet than /about declares',
    ],
    [
      'an execute that redirects',
      { '/execute': redirect },
      'execute',
      'answers with a redirect, which is not followed',
    ],
    [
      'an execute that fails',
      { '/execute': json(secret, 500) },
      'execute',
      'answers with an error of the server',
    ],
  ])('%s', async (_, lies, field, reason) => {
    await moveIn(site, { wallet: WALLET })
    lieAt(site, lies)
    const examined = await probeAgent(parts, called(site.url))
    expect(examined).toEqual({ kind: 'refused', field, reason })
    expect(JSON.stringify(examined)).not.toContain(secret)
  })

  test('an agent that is not running', async () => {
    expect(await probeAgent(parts, called(site.url))).toEqual({
      kind: 'refused',
      field: 'health',
      reason: 'cannot be reached',
    })
  })

  test.each([
    ['http://agent.example', 'scheme: must be https'],
    ['https://10.0.0.1', 'host: must be a name, not an IP address'],
    ['https://agent.example/?a=1', 'url: must not have a query'],
    ['ftp://agent.example', 'url: must be https:// and a host'],
  ])('%s is not called at all', async (endpoint, reason) => {
    expect(await probeAgent(parts, called(endpoint))).toEqual({ kind: 'refused', field: 'endpoint', reason })
  })

  test('a caller that aborts is not kept waiting', async () => {
    const givenUp = new AbortController()
    site.answer = () => {
      givenUp.abort()
      return new Promise(() => undefined)
    }
    const outcome = await probeAgent(parts, called(site.url), givenUp.signal)
    expect(outcome).toMatchObject({ kind: 'refused', field: 'health' })
  })
})
