import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch'
import { execute } from '@farebox/client/execute'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { usdcBalance } from '@farebox/local/src/chain/top-up'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobBody } from './stage/pay.ts'
import { startReferenceFacilitator } from './stage/reference-facilitator.ts'
import { setStage, type Stage } from './stage/stage.ts'

let stage: Stage
const stockFetch = wrapFetchWithPayment(
  fetch,
  new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(TEST_KEYS.payer.privateKey))),
)

beforeAll(async () => {
  stage = await setStage()
})

afterAll(() => stage.strike())

describe('a job is paid through our facilitator', () => {
  let agent: LocalAgentProcess

  beforeAll(async () => {
    const facilitator = await stage.facilitator()
    const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
    agent = await stage.agent({
      config: 'examples/text-statistics/agent.json',
      name: 'ours',
      facilitator,
      secret,
      store: 'memory:',
    })
  })

  test('our client pays one job, and the money moves once', async () => {
    const before = await usdcBalance(stage.chain, TEST_KEYS.agent.address)
    const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
    const { output, payment } = await execute(agent.url, 'count', { text: 'Exact fare, please.' }, { signer })
    expect(output).toMatchObject({ words: 3, sentences: 1 })
    expect(payment?.transaction).toMatch(/^0x[0-9a-f]{64}$/)
    expect((await usdcBalance(stage.chain, TEST_KEYS.agent.address)) - before).toBe(2_000n)
  })

  test('D3 an unmodified @x402/fetch with its default spend limits pays, and reads the receipt', async () => {
    const before = await usdcBalance(stage.chain, TEST_KEYS.agent.address)
    const answer = await stockFetch(`${agent.url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: jobBody(
        crypto.randomUUID(),
        { text: 'Paid by a stranger.', top: '2' },
        { capability: 'frequent' },
      ),
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      status: 'completed',
      output: {
        words: [
          { word: 'paid', count: 1 },
          { word: 'stranger', count: 1 },
        ],
      },
    })
    const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '')
    expect(receipt).toMatchObject({
      success: true,
      network: 'eip155:84532',
      payer: TEST_KEYS.payer.address.toLowerCase(),
    })
    expect((await usdcBalance(stage.chain, TEST_KEYS.agent.address)) - before).toBe(3_000n)
  })
})

describe('D9 a job is paid through the reference facilitator', () => {
  test('a job is paid, and the transfer is proven on the chain by SERVICE_RPC_URL', async () => {
    const facilitator = await startReferenceFacilitator(stage.chain.rpcUrl)
    stage.onStrike(facilitator.stop)
    const agent = await stage.agent({
      config: 'examples/text-statistics/agent.json',
      name: 'reference',
      facilitator,
      secret: 'any',
      store: 'memory:',
      wallet: TEST_KEYS.secondAgent.address,
      environment: { SERVICE_RPC_URL: stage.chain.rpcUrl },
    })
    const answer = await stockFetch(`${agent.url}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: jobBody(crypto.randomUUID(), { text: 'Any facilitator will do.' }),
    })
    expect(answer.status).toBe(200)
    expect(await usdcBalance(stage.chain, TEST_KEYS.secondAgent.address)).toBe(2_000n)
    expect(facilitator.calls).toEqual(expect.arrayContaining(['/supported', '/verify', '/settle']))
  })
})
