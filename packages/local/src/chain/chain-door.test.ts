import { createServer as createHttpServer, request, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callAnvil } from './anvil-rpc.ts'
import { openChainDoor, type ChainDoor } from './chain-door.ts'
import { startChain, type LocalChain } from './start-chain.ts'

const RICH = '0x00000000000000000000000000000000000f00d5'
const EXTENSION = 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn'

let chain: LocalChain
let door: ChainDoor

beforeAll(async () => {
  chain = await startChain({ isHidden: true })
  door = await openChainDoor(chain.rpcUrl, 0)
})
afterAll(async () => {
  await door.close()
  await chain.stop()
})

interface Answered {
  readonly status: number
  readonly text: string
}

/** Sends a call with these headers. */
async function call(
  headers: { readonly [name: string]: string },
  method: string,
  params: readonly unknown[] = [],
): Promise<Answered> {
  return await send(headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
}

async function send(headers: { readonly [name: string]: string }, body: string): Promise<Answered> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers }
    request(door.url, { method: 'POST', headers: all }, resolve).once('error', reject).end(body)
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
  return { status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }
}

/** Returns the status of the response to an upgrade to WebSocket. */
async function openSocket(
  headers: { readonly [name: string]: string },
  url: string = door.url,
): Promise<number> {
  return await new Promise((resolve, reject) => {
    const asked = request(url, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    })
    asked.once('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer.statusCode ?? 0)
    })
    asked.once('response', answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.once('error', reject).end()
  })
}

const balance = async (): Promise<unknown> => await callAnvil(door.url, 'eth_getBalance', [RICH, 'latest'])

test('a program on this machine can call every method, over HTTP and over WebSocket', async () => {
  await callAnvil(door.url, 'anvil_setBalance', [RICH, '0x5'])
  expect(await balance()).toBe('0x5')
  await callAnvil(door.url, 'anvil_setBalance', [RICH, '0x0'])
  expect(await openSocket({})).toBe(101)
})

describe('a web page cannot call the chain', () => {
  const cases: readonly (readonly [who: string, headers: { readonly [name: string]: string }])[] = [
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page of this machine', { origin: 'http://localhost:3000' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page that a name leads here', { host: 'evil.example:8545' }],
    ['and calls its own origin', { host: 'evil.example', origin: 'http://evil.example' }],
    ['a browser that hides the origin', { 'sec-fetch-site': 'cross-site' }],
    ['a page of this machine’s own name', { 'sec-fetch-site': 'same-origin' }],
    ['a name that only begins like this machine', { host: '127.0.0.1.evil.example' }],
    ['an extension that only looks like one', { origin: 'chrome-extension://x.evil.example/' }],
  ]

  test.each(cases)('%s', async (_, headers) => {
    const written = await call(headers, 'anvil_setBalance', [RICH, '0xffff'])
    expect(written).toMatchObject({ status: 403, text: expect.stringMatching(/Host|Origin/) })
    expect((await call(headers, 'eth_chainId')).status).toBe(403)
    expect(await openSocket(headers)).toBe(403)
    expect(await balance()).toBe('0x0')
  })
})

describe('a wallet in a browser', () => {
  test('reads the chain, and sends a signed transaction', async () => {
    const read = await call({ origin: EXTENSION }, 'eth_chainId')
    expect(JSON.parse(read.text)).toMatchObject({ result: '0x14a34' })
    const sent = await call({ origin: EXTENSION }, 'eth_sendRawTransaction', ['0x00'])
    expect(sent.status).toBe(200)
    expect(JSON.parse(sent.text)).toHaveProperty('error')
    const batch = JSON.stringify(
      [1, 2].map(id => ({ jsonrpc: '2.0', id, method: 'eth_gasPrice', params: [] })),
    )
    expect(JSON.parse((await send({ origin: EXTENSION }, batch)).text)).toHaveLength(2)
  })

  test.each([
    'anvil_setBalance',
    'evm_mine',
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTypedData_v4',
    'hardhat_setCode',
    'debug_traceCall',
    'eth_chainId ',
    '',
  ])('may not call %j, alone or in a batch', async method => {
    const headers = { origin: EXTENSION }
    expect((await call(headers, method)).status).toBe(403)
    const batch = [{ method: 'eth_chainId' }, { method }]
    expect((await send(headers, JSON.stringify(batch))).status).toBe(403)
  })

  test.each(['', 'x', '1', 'null', '[null]', '[[]]', '{"method":{}}', `"${'a'.repeat(1_100_000)}"`])(
    'may not send an invalid call: it is refused (%#)',
    async body => {
      expect((await send({ origin: EXTENSION }, body)).status).toBe(403)
    },
  )
})

test('a request target that names another server reaches only the node', async () => {
  let called = 0
  const other = createHttpServer((_, response) => {
    called += 1
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  try {
    const statusOf = async (path: string): Promise<number | undefined> =>
      await new Promise((resolve, reject) => {
        const { hostname, port: at } = new URL(door.url)
        const asked = request({ hostname, port: at, path, method: 'POST' }, answer => {
          answer.resume()
          resolve(answer.statusCode)
        })
        asked.once('error', reject).end('{}')
      })
    expect(await statusOf(`http://127.0.0.1:${port}/`)).toBe(403)
    for (const path of [`//127.0.0.1:${port}/`, `/\\127.0.0.1:${port}/`])
      expect(await statusOf(path)).not.toBe(200)
    expect(called).toBe(0)
  } finally {
    await new Promise(resolve => other.close(resolve))
  }
})

test('requests get 502 when the node has ended, and the proxy keeps running', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => closed.once('listening', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise(resolve => closed.close(resolve))
  const broken = await openChainDoor(`http://127.0.0.1:${port}`, 0)
  try {
    for (let time = 0; time < 2; time += 1)
      expect((await fetch(broken.url, { method: 'POST', body: '{}' })).status).toBe(502)
  } finally {
    await broken.close()
  }
})

test('a port in use is reported with the process that uses it', async () => {
  const port = Number(new URL(door.url).port)
  await expect(openChainDoor(chain.rpcUrl, port)).rejects.toMatchObject({ name: 'PortTakenError', port })
})

test('without the proxy the node accepts calls from every page', async () => {
  expect(await openSocket({ origin: 'https://evil.example', host: 'evil.example' }, chain.rpcUrl)).toBe(101)
})

test.skipIf(process.platform === 'darwin')(
  'the node itself does not listen at an address that a page could guess',
  () => {
    expect(new URL(chain.rpcUrl).hostname).toMatch(/^127\.(?!0\.0\.1$)/)
  },
)
