import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  startCalledUntrustedHost,
  UNTRUSTED_ADDRESS,
  type CalledUntrustedHost,
} from '../test-setup/network/called-untrusted-host.ts'
import { answer, flood, httpHead, type Behaviour } from '../test-setup/network/untrusted-host.ts'

let at: CalledUntrustedHost

beforeEach(async () => {
  at = await startCalledUntrustedHost()
})

afterEach(() => at.close())

function failed(reason: string): object {
  return { kind: 'failed', reason, mayHaveArrived: true }
}

describe('D37 the request', () => {
  test('has the user agent, requests no compression, and keeps its own connection headers', async () => {
    await at.call(answer('{}'), {
      method: 'POST',
      body: '{"a":1}',
      headers: {
        'Content-Type': 'application/json',
        'Accept-Encoding': 'gzip',
        Host: 'inner',
        'User-Agent': 'x',
      },
    })
    const [head] = at.stranger.requests
    expect(head?.split('\r\n').toSorted()).toEqual([
      'POST /health HTTP/1.1',
      'accept-encoding: identity',
      'connection: keep-alive',
      'content-length: 7',
      'content-type: application/json',
      'host: one.agents.example',
      'user-agent: farebox-platform/0.1',
    ])
  })

  test('is not sent when a header would break out of its line', async () => {
    const outcome = await at.call(answer('{}'), { headers: { 'x-payment': 'a\r\nhost: inner' } })
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'not-acceptable', mayHaveArrived: false })
    expect(at.stranger.requests).toEqual([])
  })
})

describe('SSRF-03 redirects are returned, not followed', () => {
  test.each([301, 302, 303, 307, 308])('%i to a private address', async status => {
    const location = `http://127.0.0.1:${at.canary.port}/latest/meta-data/`
    const outcome = await at.call(socket => {
      socket.write(httpHead(status, `location: ${location}`, 'content-length: 0'))
    })
    expect(outcome).toMatchObject({ kind: 'answered', status, headers: { location } })
    expect([at.internet.connects, at.canary.connections()]).toEqual([[UNTRUSTED_ADDRESS], 0])
  })

  test('neither a refresh nor an alternative service changes the next call', async () => {
    const elsewhere = `127.0.0.1:${at.canary.port}`
    await at.call(answer('', `refresh: 0; url=http://${elsewhere}/`, `alt-svc: h2="${elsewhere}"; persist=1`))
    await at.call(answer(''))
    expect([at.internet.connects, at.canary.connections()]).toEqual([[UNTRUSTED_ADDRESS], 0])
  })
})

describe('an invalid response', () => {
  test.each<[string, Behaviour, string]>([
    ['no HTTP', socket => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'not-acceptable'],
    ['interim answers only', flood('', 'HTTP/1.1 103 X\r\n\r\n'), 'not-acceptable'],
    ['100 without being asked', flood('', 'HTTP/1.1 100 X\r\n\r\n'), 'not-acceptable'],
    [
      'an upgrade',
      socket => socket.write(httpHead(101, 'connection: upgrade', 'upgrade: websocket')),
      'not-acceptable',
    ],
    [
      'two lengths',
      socket => socket.write(`${httpHead(200, 'content-length: 1', 'content-length: 2')}ab`),
      'not-acceptable',
    ],
    [
      'a length and chunks',
      socket => socket.write(`${httpHead(200, 'content-length: 1', 'transfer-encoding: chunked')}0\r\n\r\n`),
      'not-acceptable',
    ],
    [
      'less than its length',
      socket => socket.end(`${httpHead(200, 'content-length: 10')}hell`),
      'unreachable',
    ],
    ['a closed connection', socket => socket.end(), 'unreachable'],
    ['a reset connection', socket => socket.destroy(), 'unreachable'],
  ])('%s', async (_name, behaviour, reason) => {
    expect(await at.call(behaviour)).toMatchObject(failed(reason))
  })

  test('headers are joined by lower-case name, whatever their names are', async () => {
    const outcome = await at.call(answer('', 'X-One: a', 'x-one: b', '__proto__: c', 'constructor: d'))
    expect(outcome).toMatchObject({ kind: 'answered', headers: { 'x-one': 'a, b' } })
    const headers = outcome.kind === 'answered' ? outcome.headers : {}
    expect(headers['constructor']).toBe('d')
    expect(headers['toString']).toBeUndefined()
  })

  test('an unrequested second response is not used for the next call', async () => {
    const poisoned: Behaviour = socket => {
      socket.write(`${httpHead(200, 'content-length: 3')}one${httpHead(200, 'content-length: 3')}bad`)
    }
    expect(await at.call(poisoned)).toMatchObject({ kind: 'answered', body: 'one' })
    expect(await at.call(answer('two'))).toMatchObject({ kind: 'answered', body: 'two' })
  })
})
