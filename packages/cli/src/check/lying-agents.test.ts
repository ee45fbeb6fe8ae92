import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeHeader, encodeHeader } from '@farebox/payments/x402/payment-header'
import { maxTimeoutSeconds } from '@farebox/payments/x402/requirement'
import { fixtureDeclaration } from '@farebox/conformance/agent'
import { serveFixture } from '@farebox/conformance/serve-fixture'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { createTestWorld } from '../testing/test-world.ts'
import { createWrongAgents, type Answered, type Json, type Tamper } from '../testing/wrong-agent.ts'
import type { CheckDocument } from './check-document.ts'

const agents = createWrongAgents()
let folder = ''
let payer = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-check-'))
  const { agent, signer } = await serveFixture('paid')
  payer = signer.address.toLowerCase()
  await agent.close()
})
afterAll(async () => {
  await agents.close()
  await rm(folder, { recursive: true })
})

/** The only payer whose payments the right agent's gate accepts. */
const PAYER_KEY = `0x${Array.from({ length: 32 }, (_, index) => (index + 1).toString(16).padStart(2, '0')).join('')}`
const THIEF = `0x${'ab'.repeat(20)}`
const WALLET = '0x00000000000000000000000000000000000fA4e0'

interface Signed {
  readonly from: string
  readonly to: string
  readonly value: string
  readonly validBefore: string
}

/** The changed agent, and the valid payments that reached it. */
async function serve(tamper: Tamper): Promise<{ readonly url: string; readonly taken: readonly Signed[] }> {
  const taken: Signed[] = []
  const url = await agents.serve('paid', async (asked, forward) => {
    const sent = decodeHeader(asked.headers.get('payment-signature') ?? '') as
      | { readonly payload?: { readonly authorization?: Signed } }
      | undefined
    const authorization = sent?.payload?.authorization
    // The same payer's payments of zero are not valid.
    if (authorization?.from === payer && authorization.value !== '0') taken.push(authorization)
    return await tamper(asked, forward)
  })
  return { url, taken }
}

function lie(answered: Answered, change: Json): Answered {
  const headers = new Headers(answered.headers)
  const required = decodeHeader(headers.get('payment-required') ?? '') as { accepts: Json[] } | undefined
  if (required === undefined) return answered
  const accepts = required.accepts.map(entry => ({ ...entry, ...change }))
  headers.set('payment-required', encodeHeader({ ...required, accepts }))
  return { ...answered, headers }
}

async function pay(
  url: string,
  words: readonly string[] = [],
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { world, out, err } = createTestWorld({ folder, variables: { FAREBOX_PRIVATE_KEY: PAYER_KEY } })
  const command = ['check', url, '--paid', '--max-price', '0.01', '--only', 'settlement,output', ...words]
  const code = await runCli(command, world)
  return { code, out: out(), err: err() }
}

test.each([
  ['another wallet', { payTo: THIEF }, `asks for payment to ${THIEF}, and the wallet of /about is 0x`],
  ['another price', { amount: '9000' }, 'asks for 9000 atomic units, and the price of /about is 2000'],
  ['another token', { asset: THIEF }, `asks for the token ${THIEF}, and USDC on eip155:84532 is 0x`],
])('nothing is signed for a 402 that asks for %s than is declared', async (_, change, why) => {
  const { url, taken } = await serve(async (asked, forward) => lie(await forward(asked), change))
  const { code, err } = await pay(url)
  expect(err).toContain(`✗ the 402 of echo ${why}`)
  expect(err).toContain('nothing was signed')
  expect(taken).toEqual([])
  expect(code).toBe(1)
})

test.each([
  ['wallet', { payTo: THIEF }, { wallet: THIEF }, 'not asked'],
  ['price', { amount: '9000' }, { capabilities: repriced('0.009') }, 'not asked'],
  [
    'network',
    { network: 'eip155:8453', asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
    {},
    'need paid',
  ],
])('nothing is signed once the %s differs from the agreed terms', async (_, change, about, outcome) => {
  let readings = 0
  const { url, taken } = await serve(async (asked, forward) => {
    const answered = await forward(asked)
    if (asked.path === '/about') readings += 1
    if (readings < 2) return answered
    return asked.path === '/about'
      ? { ...answered, text: JSON.stringify({ ...answered.json, ...about }) }
      : lie(answered, change)
  })
  const { out } = await pay(url, ['--json'])
  const { results, spent } = JSON.parse(out) as CheckDocument
  expect(readings).toBe(2)
  expect(results.find(({ id }) => id === 'settlement/receipt')).toMatchObject({ outcome })
  expect(spent).toMatchObject({ payments: 0, to: null, goodUntil: null })
  expect(taken).toEqual([])
})

test('a payment is valid for as long as the declared deadline needs, whatever the 402 requests', async () => {
  const { url, taken } = await serve(async (asked, forward) =>
    lie(await forward(asked), { maxTimeoutSeconds: 3e9 }),
  )
  const { out } = await pay(url, ['--json'])
  const { spent } = JSON.parse(out) as CheckDocument
  const latest = Date.now() / 1_000 + maxTimeoutSeconds(fixtureDeclaration.max_deadline_seconds)
  expect(taken.length).toBeGreaterThan(0)
  for (const { to, validBefore } of taken) {
    expect(to).toBe(WALLET.toLowerCase())
    expect(Number(validBefore)).toBeLessThanOrEqual(latest)
  }
  expect(spent?.to?.toLowerCase()).toBe(WALLET.toLowerCase())
  expect(spent?.goodUntil).toBe(Math.max(...taken.map(({ validBefore }) => Number(validBefore))))
})

test('the screen shows the payee, and until when a refused payment stays valid', async () => {
  const { url, taken } = await serve(async (asked, forward) => {
    const headers = new Headers(asked.headers)
    headers.delete('payment-signature')
    return await forward({ ...asked, headers })
  })
  const { out, err } = await pay(url)
  expect(err.toLowerCase()).toContain(`  to       ${WALLET.toLowerCase()}  the wallet of /about\n`)
  const until = Math.max(...taken.map(({ validBefore }) => Number(validBefore)))
  expect(until).toBeGreaterThan(Date.now() / 1_000)
  const time = new Date(until * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  expect(out).toContain(`payments that were refused can be charged until ${time} UTC\n`)
})

/** Every capability of the fixture at another price. */
function repriced(amount: string): object {
  const capabilities = Object.entries(fixtureDeclaration.capabilities)
  return Object.fromEntries(
    capabilities.map(([name, one]) => [name, { ...one, pricing: { ...one.pricing, amount } }]),
  )
}
