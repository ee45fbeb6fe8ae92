import type { QuoteAnswer } from '@farebox/platform-api/jobs'
import { expect, test } from 'vitest'
import { agreeOnQuote } from './agree-on-quote.ts'

const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const WALLET = `0x${'aB'.repeat(20)}`
const OTHER = `0x${'cd'.repeat(20)}`
const ORDER = { agentId: 7, capability: 'count' }

const requirement = {
  scheme: 'exact' as const,
  network: 'eip155:84532',
  asset: USDC,
  amount: '10000',
  payTo: WALLET,
  maxTimeoutSeconds: 90,
  extra: { name: 'USDC', version: '2' },
}

const quoteWith = (changes: Partial<QuoteAnswer>, asked: Partial<typeof requirement> = {}): QuoteAnswer => ({
  agent_id: 7,
  capability: 'count',
  amount: '0.01',
  amount_atomic: '10000',
  pay_to: WALLET.toLowerCase(),
  network: 'eip155:84532',
  asset: USDC.toLowerCase(),
  asset_domain: { name: 'USDC', version: '2' },
  payment_requirement: { ...requirement, ...asked },
  max_timeout_seconds: 90,
  max_deadline_seconds: 60,
  price_changed: null,
  input_schema: {},
  endpoint: 'https://agent.example/execute',
  ...changes,
})

test('the signed quote keeps the agent’s spelling, under the token’s own domain', () => {
  const agreed = agreeOnQuote(quoteWith({}, { extra: { name: 'Tether', version: '1' } }), ORDER)
  expect(agreed).toMatchObject({
    amountAtomic: 10_000n,
    endpoint: 'https://agent.example/execute',
    requirement: { ...requirement, extra: { name: 'USDC', version: '2' } },
  })
})

test.each([
  ['agent', quoteWith({ agent_id: 8 })],
  ['capability', quoteWith({ capability: 'counts' })],
  ['network', quoteWith({ network: 'eip155:1234' })],
  ['network', quoteWith({}, { network: 'eip155:8453' })],
  ['token', quoteWith({ asset: OTHER })],
  ['token', quoteWith({}, { asset: OTHER })],
  ['price', quoteWith({ amount: 'decimal USDC', amount_atomic: 'decimal USDC' }, { amount: 'decimal USDC' })],
  ['price', quoteWith({ amount_atomic: '10001' })],
  ['price', quoteWith({}, { amount: '1000000' })],
  ['payee', quoteWith({}, { payTo: OTHER })],
] as const)('a quote with another %s is refused with that name', (field, quote) => {
  expect(agreeOnQuote(quote, ORDER)).toMatchObject({ field })
})

test('a network that the payer does not allow is refused, although it is in the built-in table', () => {
  expect(agreeOnQuote(quoteWith({}), ORDER, ['eip155:8453'])).toMatchObject({
    field: 'network',
    expected: 'one of eip155:8453',
    got: 'eip155:84532',
  })
})
