import { randomUUID } from 'node:crypto'
import { x402Client } from '@x402/core/client'
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http'
import { parsePaymentPayload, parsePaymentRequired } from '@x402/core/schemas'
import { getDefaultAsset } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { findSettlement } from '@farebox/payments/chain/find-settlement'
import { refuseTerms } from '@farebox/payments/x402/check-terms'
import { createSignatureVerifier, type ProvenPayment } from '@farebox/payments/x402/verify-signature'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import { createFacilitatorClient, type FacilitatorClient } from '@farebox/payments/x402/facilitator-client'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import {
  decodePaymentHeader,
  encodeHeader,
  type PaymentResponse,
} from '@farebox/payments/x402/payment-header'
import {
  createRequirement,
  paymentRequiredHeader,
  type PaymentRequirement,
} from '@farebox/payments/x402/requirement'
import { privateKeySigner, signPayment, type SignedPayment } from '@farebox/payments/x402/sign-payment'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReferenceFacilitator, type ReferenceFacilitator } from './stage/reference-facilitator.ts'

const RESOURCE = {
  url: 'https://agent.example/execute',
  capability: 'count',
  description: 'Counts words – naïvely 🚌',
}
const account = privateKeyToAccount(TEST_KEYS.payer.privateKey)

const WALLETS = {
  'with its checksum': TEST_KEYS.agent.address,
  'in lower case': TEST_KEYS.agent.address.toLowerCase(),
  'in capitals': `0x${TEST_KEYS.agent.address.slice(2).toUpperCase()}`,
} as const

let crypto: EvmCrypto

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

describe('the PAYMENT-REQUIRED header, read by @x402/core', () => {
  test.each(networkIds())('D3 on %s it is decoded and passes the schema', id => {
    const requirement = requirementOn(id)
    const decoded = decodePaymentRequiredHeader(paymentRequiredHeader(requirement, RESOURCE))
    expect(parsePaymentRequired(decoded)).toMatchObject({ success: true })
    expect(decoded).toEqual({
      x402Version: 2,
      error: 'PAYMENT-SIGNATURE header is required',
      resource: {
        url: RESOURCE.url,
        description: `count: ${RESOURCE.description}`,
        mimeType: 'application/json',
      },
      accepts: [requirement],
    })
  })

  test('D4 our table of tokens and domains agrees with the one of @x402/evm', () => {
    const known = networkIds().filter(id => id !== 'eip155:31337')
    expect(known.length).toBeGreaterThan(4)
    for (const id of known) {
      const { asset: address, name, version, decimals } = getDefaultAsset(id as `eip155:${string}`)
      const { asset } = networkOf(id)
      expect({ ...asset.domain, address: asset.address, decimals: asset.decimals }, id).toEqual({
        name,
        version,
        address: address.toLowerCase(),
        decimals,
      })
    }
  })
})

describe('a payment by an unmodified x402 client, with its default spend controls', () => {
  test.each(Object.entries(WALLETS))(
    'D4 D5 is decoded and passes verification and the local checks; the agent’s wallet is named %s',
    async (_, payTo) => {
      const requirement = requirementOn('eip155:84532', payTo)
      const payment = prove(await payAsStockClient(requirement))
      expect(payment).toMatchObject({
        payer: account.address.toLowerCase(),
        salt: undefined,
        authorization: { value: '10000' },
      })
      expect(refuseTerms(payment, requirement, nowSeconds())).toBeUndefined()
    },
  )

  test.each(['eip155:8453', 'eip155:137', 'eip155:42161'])(
    'D4 is verified on %s, whose token has another domain',
    async id => {
      expect(prove(await payAsStockClient(requirementOn(id))).network.id).toBe(id)
    },
  )

  test('D4 the v1 envelope with our network’s CAIP-2 id is verified under the same key', async () => {
    const header = await payAsStockClient(requirementOn('eip155:84532'))
    const { payload, accepted } = decodePaymentSignatureHeader(header)
    const v1 = encodeHeader({ x402Version: 1, scheme: accepted.scheme, network: accepted.network, payload })
    expect(prove(v1).key).toBe(prove(header).key)
  })
})

describe('a payment of ours, read by reference code', () => {
  test('D4 @x402/core decodes the header, it passes the schema, and encodes it to our bytes again', async () => {
    const { header, authorization } = await payAsOurClient(requirementOn('eip155:84532'))
    const decoded = decodePaymentSignatureHeader(header)
    expect(parsePaymentPayload(decoded)).toMatchObject({ success: true })
    expect(decoded).toMatchObject({ x402Version: 2, payload: { authorization } })
    expect(decodePaymentHeader(encodePaymentSignatureHeader(decoded))).toEqual(decodePaymentHeader(header))
  })

  test('D7 @x402/core decodes our PAYMENT-RESPONSE header', () => {
    const response: PaymentResponse = {
      success: true,
      transaction: `0x${'ab'.repeat(32)}`,
      network: 'eip155:84532',
      payer: account.address.toLowerCase(),
      amount: '10000',
    }
    expect(decodePaymentResponseHeader(encodeHeader(response))).toEqual(response)
  })
})

describe('D9 the reference facilitator, called by our client', () => {
  let chain: LocalChain
  let rpc: JsonRpc
  let reference: ReferenceFacilitator
  let facilitator: FacilitatorClient
  const requirement = requirementOn('eip155:84532')

  beforeAll(async () => {
    chain = await startChain()
    rpc = createJsonRpc(chain.rpcUrl)
    reference = await startReferenceFacilitator(chain.rpcUrl)
    facilitator = createFacilitatorClient({ url: reference.url, secret: 'not-inspected' })
    await fund(chain, account.address, { usdcAtomic: 25_000n })
  })

  afterAll(async () => {
    await Promise.all([facilitator.close(), rpc.close()])
    await reference.stop()
    await chain.stop()
  })

  test('returns the kinds that it supports', async () => {
    const { kinds, extensions, signers } = await facilitator.supported({ timeoutMs: 10_000 })
    expect(kinds).toContainEqual(
      expect.objectContaining({ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }),
    )
    expect(extensions).not.toContain('farebox-hold')
    expect(signers).toMatchObject({ 'eip155:*': [TEST_KEYS.faucet.address] })
  })

  test('verifies and settles our payment, which the chain confirms', async () => {
    const { header } = await payAsOurClient(requirement)
    const payment = prove(header)
    expect(await facilitator.verify(request(payment), { timeoutMs: 10_000 })).toEqual({
      kind: 'valid',
      hold: undefined,
    })
    const settled = await facilitator.settle(request(payment), { timeoutMs: 10_000 })
    expect(settled).toEqual({ kind: 'settled', transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    const now = Date.now() / 1_000
    expect(await findSettlement(rpc, payment.network, payment.authorization, now)).toMatchObject(settled)
  })

  test('accepts a v1 payment in the v2 envelope that we send', async () => {
    const { payload, accepted } = decodePaymentSignatureHeader(await payAsStockClient(requirement))
    const payment = prove(
      encodeHeader({ x402Version: 1, scheme: accepted.scheme, network: accepted.network, payload }),
    )
    expect(await facilitator.verify(request(payment), { timeoutMs: 10_000 })).toMatchObject({ kind: 'valid' })
    expect(await facilitator.settle(request(payment), { timeoutMs: 10_000 })).toMatchObject({
      kind: 'settled',
    })
  })

  test('refuses more than the payer holds, in a form that we parse as its verdict', async () => {
    const { header } = await payAsOurClient(requirement)
    expect(await facilitator.verify(request(prove(header)), { timeoutMs: 10_000 })).toMatchObject({
      kind: 'invalid',
      reason: expect.stringMatching(/./),
    })
    expect(await facilitator.settle(request(prove(header)), { timeoutMs: 10_000 })).toMatchObject({
      kind: 'failed',
      transaction: '',
    })
  })

  function request({ authorization, signature }: ProvenPayment): FacilitatorRequest {
    return {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: requirement, payload: { authorization, signature } },
      paymentRequirements: requirement,
      extensions: { 'farebox-hold': { binding: `0x${'55'.repeat(32)}`, holdUntil: nowSeconds() + 60 } },
    }
  }
})

async function payAsStockClient(requirement: PaymentRequirement): Promise<string> {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  const required = decodePaymentRequiredHeader(paymentRequiredHeader(requirement, RESOURCE))
  return encodePaymentSignatureHeader(await client.createPaymentPayload(required))
}

async function payAsOurClient(requirement: PaymentRequirement): Promise<SignedPayment> {
  return await signPayment(crypto, privateKeySigner(crypto, TEST_KEYS.payer.privateKey), {
    network: networkOf(requirement.network),
    requirement,
    binding: { endpoint: RESOURCE.url, capability: RESOURCE.capability, jobId: randomUUID() },
    nowSeconds: nowSeconds(),
  })
}

function prove(header: string): ProvenPayment {
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw new Error(decoded.reason)
  const checked = createSignatureVerifier(crypto, networkIds().map(networkOf)).provePayer(decoded.payment)
  if (!checked.ok) throw new Error(checked.reason)
  return checked.value
}

function requirementOn(id: string, payTo: string = TEST_KEYS.agent.address): PaymentRequirement {
  return createRequirement({ network: networkOf(id), payTo, amountAtomic: 10_000n, maxDeadlineSeconds: 20 })
}

function networkOf(id: string): Network {
  const network = findNetwork(id)
  if (network === undefined) throw new Error(`no network ${id}`)
  return network
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000)
}
