import { randomUUID } from 'node:crypto'
import { cancelAuthorization, privateKeyCancelSigner } from '@farebox/client/cancel-authorization'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { AgentProcess } from '@farebox/local/src/start-agent-process'
import { authorizationTypedData, privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { createWalletClient, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCountingProxy, type CountingProxy } from './stage/proxies/counting-proxy.ts'
import { jobBody, localNetwork, post, signFor, transfersTo } from './stage/pay.ts'
import { startRunCounter, type RunCounter } from './stage/run-counter.ts'
import { setStage, type Stage } from './stage/stage.ts'

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const payTo = TEST_KEYS.agent.address

let stage: Stage
let agent: AgentProcess
let proxy: CountingProxy
let runs: RunCounter

beforeAll(async () => {
  stage = await setStage()
  const facilitator = await stage.facilitator()
  const secret = await stage.secret(facilitator, [payTo])
  proxy = await startCountingProxy(stage, facilitator.url)
  runs = await startRunCounter(stage)
  agent = await stage.agent({
    config: 'e2e/agents/counted/agent.json',
    name: 'refusing',
    facilitator: proxy,
    secret,
    store: 'memory:',
  })
})

afterAll(() => stage.strike())

type Envelope = {
  accepted: { [key: string]: unknown }
  payload: {
    authorization: {
      from: string
      to: string
      value: string
      validAfter: string
      validBefore: string
      nonce: string
    }
    signature: string
  }
}

/** A good payment, changed in one way. */
async function changed(
  change: (envelope: Envelope) => void | Promise<void>,
  price = '0.01',
): Promise<string> {
  const header = await signFor(stage, { payTo, price })
  const envelope = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as Envelope
  await change(envelope)
  return Buffer.from(JSON.stringify(envelope)).toString('base64')
}

/** The same authorization, changed and signed again by its payer. */
async function signAgain(
  envelope: Envelope,
  change: Partial<Envelope['payload']['authorization']>,
  network = localNetwork(),
): Promise<void> {
  Object.assign(envelope.payload.authorization, change)
  const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
  envelope.payload.signature = await signer.signTypedData(
    authorizationTypedData(network, envelope.payload.authorization),
  )
}

const seconds = (fromNow: number): string => String(Math.floor(Date.now() / 1_000) + fromNow)

async function expectRefused(header: string, reason: RegExp): Promise<void> {
  const [runsBefore, transfersBefore] = [runs.count(), await transfersTo(stage, payTo)]
  const answered = await post(agent.url, jobBody(randomUUID(), { text: 'never', tell_url: runs.url }), header)
  expect(answered.status).toBe(402)
  const body: unknown = JSON.parse(answered.body)
  expect(body).toEqual({
    status: 'failed',
    error_type: 'payment',
    error: expect.stringMatching(reason),
    service_version: '1.0',
  })
  expect(runs.count()).toBe(runsBefore)
  expect(await transfersTo(stage, payTo)).toBe(transfersBefore)
}

describe('a payment that is wrong on its face is refused with its own message, and nobody is asked', () => {
  const cases: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
    [
      'forged',
      () =>
        changed(({ payload }) => {
          payload.signature = payload.signature.replace(
            /^0x(..)/,
            (_, byte: string) => `0x${byte === '11' ? '22' : '11'}`,
          )
        }),
      /signature/,
    ],
    [
      'signed by somebody else',
      () =>
        changed(({ payload }) => {
          payload.authorization.from = TEST_KEYS.secondPayer.address
        }),
      /signature/,
    ],
    [
      'malleated to a high s',
      () =>
        changed(({ payload }) => {
          const s = BigInt(`0x${payload.signature.slice(66, 130)}`)
          const v = payload.signature.endsWith('1b') ? '1c' : '1b'
          payload.signature =
            payload.signature.slice(0, 66) + (SECP256K1_ORDER - s).toString(16).padStart(64, '0') + v
        }),
      /signature/,
    ],
    [
      'too long for an ordinary wallet',
      () =>
        changed(({ payload }) => {
          payload.signature += '00'.repeat(32)
        }),
      /contract wallets are not supported/,
    ],
    ['expired', () => changed(envelope => signAgain(envelope, { validBefore: seconds(-1) })), /expired/],
    [
      'about to expire',
      () => changed(envelope => signAgain(envelope, { validBefore: seconds(5) })),
      /validBefore/,
    ],
    [
      'valid for a week',
      () => changed(envelope => signAgain(envelope, { validBefore: seconds(604_800) })),
      /within 24 h/,
    ],
    [
      'valid only later',
      () => changed(envelope => signAgain(envelope, { validAfter: seconds(60) })),
      /validAfter/,
    ],
    ['a unit too little', () => changed(envelope => signAgain(envelope, { value: '9999' })), /exactly 10000/],
    ['a unit too much', () => changed(envelope => signAgain(envelope, { value: '10001' })), /exactly 10000/],
    [
      'a payment to another wallet',
      () => changed(envelope => signAgain(envelope, { to: TEST_KEYS.stranger.address.toLowerCase() })),
      /another wallet/,
    ],
    [
      'a payment whose envelope names another chain',
      () =>
        changed(({ accepted }) => {
          accepted['network'] = 'eip155:8453'
        }),
      /network eip155:8453/,
    ],
    [
      'a payment signed for another chain',
      () => changed(envelope => signAgain(envelope, {}, { ...localNetwork(), chainId: 8453 })),
      /signature/,
    ],
    [
      'a payment whose envelope names another asset',
      () =>
        changed(({ accepted }) => {
          accepted['asset'] = TEST_KEYS.stranger.address
        }),
      /asset/,
    ],
    [
      'a payment signed for another asset',
      () =>
        changed(envelope =>
          signAgain(
            envelope,
            {},
            {
              ...localNetwork(),
              asset: { ...localNetwork().asset, address: TEST_KEYS.stranger.address.toLowerCase() },
            },
          ),
        ),
      /signature/,
    ],
    ['not base64 at all', async () => '%%%', /base64/],
  ]

  // One that is too late may have been charged in time, for this very job: whose job it paid is asked first (D40).
  const asked: readonly string[] = ['expired', 'about to expire']

  test.each(cases)('%s', async (name, make, reason) => {
    const callsBefore = proxy.count()
    await expectRefused(await make(), reason)
    expect(proxy.count() - callsBefore).toBe(asked.includes(name) ? 1 : 0)
  })
})

describe('a payment that only the chain knows to be bad is refused by the facilitator', () => {
  test('PAY-04 replayed for a new job after it was settled', async () => {
    const header = await signFor(stage, { payTo, price: '0.01' })
    expect((await post(agent.url, jobBody(randomUUID(), { text: 'first' }), header)).status).toBe(200)
    await expectRefused(header, /one payment buys one job/)
  })

  test('PAY-10 cancelled by its payer', async () => {
    const jobId = randomUUID()
    const body = jobBody(jobId, { text: 'cancelled' })
    const header = await signFor(stage, { payTo, price: '0.01' })
    const signer = privateKeyCancelSigner(stage.crypto, TEST_KEYS.payer.privateKey)
    const { to, data } = await cancelAuthorization(
      { agentUrl: agent.url, jobId, capability: 'tell', body, header },
      signer,
    )
    const account = privateKeyToAccount(TEST_KEYS.stranger.privateKey)
    const wallet = createWalletClient({
      account,
      chain: baseSepolia,
      transport: http(stage.chain.rpcUrl),
    }).extend(publicActions)
    const { status } = await wallet.sendTransactionSync({
      to: to as `0x${string}`,
      data: data as `0x${string}`,
    })
    expect(status).toBe('success')
    await expectRefused(header, /used|cancel/i)
  })

  test('PAY-11 a payment from a wallet that holds less than the price', async () => {
    const key = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
    await expectRefused(await signFor(stage, { payTo, price: '0.01', payerKey: key }), /balance|funds/i)
  })
})
