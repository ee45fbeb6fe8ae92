import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { signPayment } from '@farebox/payments/x402/sign-payment'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signerOf } from '../execute/staged-payment.test-setup.ts'
import { jobBody, serveStage, type SocketStage } from './socket-stage.test-setup.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const PAYMENT = { 'payment-signature': 'x' }
const sent = (body: string, headers: { readonly [name: string]: string } = {}): RequestInit => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...headers },
  body,
})

let stage: SocketStage
beforeAll(async () => {
  stage = await serveStage({ dev: false, funded: [signerOf(await loadEvmCrypto(), 1).address] })
})
afterAll(async () => {
  await stage.agent.close()
})

interface Reply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** Headers that the protocol adds; they are not part of the answer. */
const OF_THE_SOCKET = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

async function tell(response: Response): Promise<Reply> {
  const headers = [...response.headers].filter(([name]) => !OF_THE_SOCKET.has(name))
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() }
}

/** Sends the same request to the socket and to `agent.fetch`. */
async function both(path: string, init: RequestInit): Promise<readonly [Reply, Reply]> {
  const bySocket = await tell(await fetch(`${stage.url}${path}`, init))
  const byFetch = await tell(await stage.agent.fetch(new Request(`${stage.url}${path}`, init)))
  return [bySocket, byFetch]
}

describe('the answer is the same from the socket and from fetch', () => {
  test.each<readonly [string, string, RequestInit, number]>([
    ['health', '/health', {}, 200],
    ['about', '/about?x=1', {}, 200],
    ['HEAD', '/about', { method: 'HEAD' }, 200],
    ['a preflight', '/execute', { method: 'OPTIONS' }, 204],
    ['no such route', '/nowhere', {}, 404],
    ['a wrong method', '/execute', { method: 'DELETE' }, 405],
    ['no payment', '/execute', sent(jobBody('hi')), 402],
    ['no payment and no body', '/execute', { method: 'POST' }, 402],
    ['a body too large', '/execute', sent(' '.repeat(1_048_577)), 400],
    ['a wrong content type', '/execute', sent('{}', { ...PAYMENT, 'content-type': 'text/plain' }), 400],
    ['a body that is no JSON', '/execute', sent('{', PAYMENT), 400],
    ['a payment that is none', '/execute', sent(jobBody('hi'), PAYMENT), 402],
    ['two payments', '/execute', sent(jobBody('hi'), { ...PAYMENT, 'x-payment': 'x' }), 402],
  ])('%s', async (_, path, init, status) => {
    const [bySocket, byFetch] = await both(path, init)
    expect(byFetch).toEqual(bySocket)
    expect(bySocket.status).toBe(status)
  })

  test('a paid job, and its repeat by the other transport', async () => {
    const crypto = await loadEvmCrypto()
    const network = findNetwork('eip155:84532') as Network
    const jobId = globalThis.crypto.randomUUID()
    const signed = await signPayment(crypto, signerOf(crypto, 1), {
      network,
      requirement: createRequirement({
        network,
        payTo: stage.agent.declaration.wallet,
        amountAtomic: 10_000n,
        maxDeadlineSeconds: 30,
      }),
      binding: { endpoint: `${stage.url}/execute`, capability: 'echo', jobId },
      nowSeconds: systemClock.nowMs() / 1_000,
    })
    const [bySocket, byFetch] = await both('/execute?trace=1', {
      method: 'POST',
      headers: { ...JSON_TYPE, 'payment-signature': signed.header },
      body: jobBody('hi', jobId),
    })
    expect(bySocket).toMatchObject({
      status: 200,
      headers: { 'payment-response': expect.any(String), 'x-content-type-options': 'nosniff' },
    })
    expect(byFetch).toEqual(bySocket)
    expect(stage.gate.counts().charged).toBe(1)
  })
})

test('a body that breaks off gets an answer, not a rejection', async () => {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error('gone'))
    },
  })
  // Node requires `duplex` for a stream, but its types do not declare it.
  const request = new Request('http://a/execute', {
    method: 'POST',
    headers: JSON_TYPE,
    body,
    duplex: 'half',
  } as RequestInit)
  const response = await stage.agent.fetch(request)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error_type: 'validation', error: 'body: broke off' })
})

test('a body that was already read gets an answer, too', async () => {
  const request = new Request('http://a/execute', { method: 'POST', headers: JSON_TYPE, body: jobBody('hi') })
  await request.text()
  expect((await stage.agent.fetch(request)).status).toBe(400)
})

test('an endless body is not read completely', async () => {
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      sent += 65_536
      controller.enqueue(new Uint8Array(65_536))
    },
  })
  const response = await stage.agent.fetch(
    new Request('http://a/execute', { method: 'POST', body, duplex: 'half' } as RequestInit),
  )
  expect(response.status).toBe(400)
  expect(sent).toBeLessThan(2_000_000)
})
