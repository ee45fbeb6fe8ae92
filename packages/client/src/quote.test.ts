import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { AGENT_WALLET, startTestAgent, type TestAgent } from '../testing/agent.ts'
import { createTestClock, type TestClock } from '../testing/clock.ts'
import { quote } from './quote.ts'

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
})

test('returns price, wallet and chain, and neither runs nor pays anything', async () => {
  expect(await quote(agent.url, 'count', { clock })).toEqual({
    capability: 'count',
    amountAtomic: 10_000n,
    payTo: AGENT_WALLET,
    network: expect.objectContaining({ id: 'eip155:84532' }),
    requirement: {
      scheme: 'exact',
      network: 'eip155:84532',
      amount: '10000',
      asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
      payTo: AGENT_WALLET,
      maxTimeoutSeconds: 60,
      extra: { name: 'USDC', version: '2' },
    },
  })
  expect(agent.runs).toHaveLength(0)
})

test('an agent in dev mode quotes no price, and runs no job when asked for one', async () => {
  agent.devMode = true
  expect(await quote(agent.url, 'count', { clock })).toBeUndefined()
  expect(agent.runs).toHaveLength(0)
})

test('an offer that execute would refuse is refused here too', async () => {
  const { declaration, url } = agent
  const wallet = '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f'
  await expect(
    quote({ url, declaration: { ...declaration, wallet } }, 'count', { clock }),
  ).rejects.toMatchObject({ name: 'QuoteRefused', disagreement: 'pay-to' })
})

test('the caller’s traceparent is sent with a span id of its own', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await quote(agent.url, 'count', { clock, traceparent })
  const sent = agent.seen[0]?.traceparent
  expect(sent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/)
  expect(sent).not.toBe(traceparent)
})

test('an unknown capability is refused', async () => {
  await expect(quote(agent.url, '__proto__', { clock })).rejects.toMatchObject({ name: 'CapabilityError' })
})

test('an agent without a price has no usable response', async () => {
  agent.lie = (path, reply) => (path === '/execute' ? { status: 500, body: {} } : reply)
  await expect(quote(agent.url, 'count', { clock })).rejects.toMatchObject({
    name: 'UnusableAnswer',
    httpStatus: 500,
  })
})
