import { describe, expect, test } from 'vitest'
import { findNetwork, networkIds } from '../networks.ts'
import { decodeHeader } from './payment-header.ts'
import {
  createRequirement,
  maxTimeoutSeconds,
  paymentRequiredBody,
  paymentRequiredHeader,
} from './requirement.ts'

const PAY_TO = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const RESOURCE = { url: 'https://agent.example/execute', capability: 'count', description: 'Counts words' }

function requirementOn(id: string, maxDeadlineSeconds = 20) {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`no network ${id}`)
  return createRequirement({ network, payTo: PAY_TO, amountAtomic: 10_000n, maxDeadlineSeconds })
}

test('D3 a requirement names the token’s own EIP-712 domain, and the wallet as given', () => {
  expect(requirementOn('eip155:84532')).toEqual({
    scheme: 'exact',
    network: 'eip155:84532',
    amount: '10000',
    asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    payTo: PAY_TO,
    maxTimeoutSeconds: 60,
    extra: { name: 'USDC', version: '2' },
  })
  expect(requirementOn('eip155:8453').extra).toEqual({ name: 'USD Coin', version: '2' })
})

test.each([
  [0.5, 60],
  [10, 60],
  [30, 60],
  [30.2, 61],
  [31, 61],
  [3_600, 3_630],
])('D3 a max_deadline_seconds of %s asks for an authorization of %s seconds', (maxDeadline, seconds) => {
  expect(maxTimeoutSeconds(maxDeadline)).toBe(seconds)
  expect(requirementOn('eip155:8453', maxDeadline).maxTimeoutSeconds).toBe(seconds)
})

test('D2 the body has the interface’s keys and no others', () => {
  expect(
    paymentRequiredBody(requirementOn('eip155:8453'), { agent: 'Word counter', capability: 'count' }),
  ).toEqual({
    x402Version: 1,
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        maxAmountRequired: '10000',
        asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
        payTo: PAY_TO,
        extra: { name: 'Word counter', description: 'count' },
      },
    ],
  })
})

describe('the PAYMENT-REQUIRED header', () => {
  test('D3 is the x402 v2 object', () => {
    const requirement = requirementOn('eip155:84532')
    expect(decodeHeader(paymentRequiredHeader(requirement, RESOURCE))).toEqual({
      x402Version: 2,
      error: 'PAYMENT-SIGNATURE header is required',
      resource: { url: RESOURCE.url, description: 'count: Counts words', mimeType: 'application/json' },
      accepts: [requirement],
    })
  })

  test.each([
    ['the longest description', { ...RESOURCE, description: 'd'.repeat(1_024) }, 'dddd'],
    ['the longest description in emoji', { ...RESOURCE, description: '🚌'.repeat(1_024) }, undefined],
    [
      'the longest names in emoji',
      { ...RESOURCE, capability: '🚌'.repeat(64), description: '🚌'.repeat(1_024) },
      undefined,
    ],
    [
      'control characters, which JSON writes as six',
      { ...RESOURCE, capability: '\u0001'.repeat(64), description: '\u0001'.repeat(1_024) },
      undefined,
    ],
    [
      'a URL made of the longest Host header that Node takes',
      { ...RESOURCE, url: `http://${'x'.repeat(15_000)}/execute` },
      'Counts words',
    ],
    [
      'all of it at once',
      {
        url: `http://${'é'.repeat(15_000)}/`,
        capability: '\u0001'.repeat(64),
        description: '🚌'.repeat(1_024),
      },
      undefined,
    ],
  ])('D3 stays below 5 KB with %s', (_, resource, description) => {
    for (const id of networkIds()) {
      const header = paymentRequiredHeader(requirementOn(id, 3_600), resource)
      expect(header.length).toBeLessThan(5_000)
      expect(decodeHeader(header)).toMatchObject({
        resource: {
          description: description === undefined ? resource.capability : expect.stringContaining(description),
        },
      })
    }
  })
})
