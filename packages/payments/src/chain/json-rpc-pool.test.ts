import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answering, resetting, silent, startServer, type TestServer } from '../../testing/start-server.ts'
import { JsonRpcError, type JsonRpc } from './json-rpc.ts'
import { createJsonRpc } from './json-rpc-pool.ts'

let server: TestServer
let rpc: JsonRpc

beforeEach(async () => {
  server = await startServer()
  rpc = createJsonRpc(server.url)
})

afterEach(async () => {
  await server.stop()
  await rpc.close()
})

test('a call is a JSON-RPC 2.0 request with an id of its own', async () => {
  server.behave(answering(200, { jsonrpc: '2.0', id: 1, result: '0x10' }))
  expect(await rpc.call('eth_blockNumber', [])).toBe('0x10')
  expect(await rpc.call('eth_call', [{ to: '0x' }, 'latest'])).toBe('0x10')
  expect(server.received.map(({ body }): unknown => JSON.parse(body))).toEqual([
    { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] },
    { jsonrpc: '2.0', id: 2, method: 'eth_call', params: [{ to: '0x' }, 'latest'] },
  ])
})

test('a null result is a result: the node has no such object', async () => {
  server.behave(answering(200, { jsonrpc: '2.0', id: 1, result: null }))
  expect(await rpc.call('eth_getTransactionReceipt', ['0x'])).toBeNull()
  server.behave(answering(200, { jsonrpc: '2.0', id: 1, result: false, error: null }))
  expect(await rpc.call('eth_syncing', [])).toBe(false)
})

test.each(['', '/', '/v3/key', '/v3/key/', '/?apikey=secret', '?apikey=secret', '/v3/key?a=1&b=2'])(
  'a node whose URL ends in %j is called at exactly this URL',
  async end => {
    const there = createJsonRpc(server.url + end)
    server.behave(answering(200, { result: 1 }))
    await there.call('eth_chainId', [])
    await there.close()
    expect(server.received.map(({ url }) => url)).toEqual([end.startsWith('/') ? end : `/${end}`])
  },
)

test('the node’s refusal contains the method, the reason, its code and revert data', async () => {
  server.behave(
    answering(200, { error: { code: 3, message: 'execution reverted: paused', data: '0x08c379a0' } }),
  )
  const refused = rpc.call('eth_call', [])
  await expect(refused).rejects.toBeInstanceOf(JsonRpcError)
  await expect(refused).rejects.toMatchObject({
    message: 'eth_call: execution reverted: paused',
    code: 3,
    details: '0x08c379a0',
  })
})

test('OPS-08 a node that repeats the key of its URL in a refusal does not reveal it', async () => {
  const keyed = createJsonRpc(`${server.url}/v3/0a1b2c3d4e5f6789?token=planted-token`)
  server.behave(answering(401, { error: { message: 'no project 0a1b2c3d4e5f6789, token planted-token' } }))
  await expect(keyed.call('eth_chainId', [])).rejects.toThrow(/no project \[hidden\], token \[hidden\]$/)
  await keyed.close()
})

test('a refusal counts with any HTTP status, and without a code', async () => {
  server.behave(answering(429, { error: { message: 'too many requests' } }))
  await expect(rpc.call('eth_call', [])).rejects.toMatchObject({
    name: 'JsonRpcError',
    code: 0,
    message: 'eth_call: too many requests',
  })
})

describe('PAY-33 no answer is no result', () => {
  test.each([
    ['HTML', answering(502, '<html>')],
    ['null', answering(200, 'null')],
    ['an array', answering(200, [{ result: '0x1' }])],
    ['an object without a result', answering(200, { id: 1 })],
    ['an error that is only a word', answering(500, { error: 'overloaded' })],
  ])('%s', async (_, behaviour) => {
    server.behave(behaviour)
    const refused = rpc.call('eth_chainId', [])
    await expect(refused).rejects.toThrow(/^eth_chainId: the node answered HTTP \d+ without a result$/)
    await expect(refused).rejects.not.toBeInstanceOf(JsonRpcError)
  })

  test('silence, a reset and a closed port reject, and not as refusals', async () => {
    server.behave(silent)
    await expect(rpc.call('eth_chainId', [], { timeoutMs: 50 })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    server.behave(resetting)
    await expect(rpc.call('eth_chainId', [])).rejects.not.toBeInstanceOf(JsonRpcError)
    await server.stop()
    await expect(rpc.call('eth_chainId', [])).rejects.not.toBeInstanceOf(JsonRpcError)
  })
})
