import { brotliCompressSync, gzipSync } from 'node:zlib'
import { sleep, systemClock } from '@farebox/protocol/time/clock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  startCalledUntrustedHost,
  UNTRUSTED_ADDRESS,
  type CalledUntrustedHost,
} from '../test-setup/network/called-untrusted-host.ts'
import { createPretendInternet } from '../test-setup/network/pretend-internet.ts'
import {
  answer,
  drip,
  flood,
  httpHead,
  startUntrustedHost,
  type Behaviour,
} from '../test-setup/network/untrusted-host.ts'
import { PROBE_LIMITS } from './limits.ts'
import { createOutbound } from './outbound.ts'

const MOST_RSS_BYTES = 50 * 1_024 * 1_024
const CHUNKED = httpHead(200, 'transfer-encoding: chunked')

let at: CalledUntrustedHost

beforeEach(async () => {
  at = await startCalledUntrustedHost()
})

afterEach(() => at.close())

describe('SSRF-04 nothing is decompressed and memory does not grow', () => {
  const zeros = Buffer.alloc(64 * 1_024 * 1_024)

  test.each([
    ['gzip', 'gzip', gzipSync(zeros)],
    ['brotli', 'br', brotliCompressSync(zeros)],
    ['upper case', ' GZIP ', gzipSync(zeros)],
    ['identity and gzip', 'identity, gzip', gzipSync(zeros)],
    ['a thousand layers', 'gzip, '.repeat(1_000), gzipSync(Buffer.alloc(10))],
  ])('a decompression bomb in %s is not acceptable', async (_name, coding, bomb) => {
    const head = httpHead(200, `content-encoding: ${coding}`, `content-length: ${bomb.length}`)
    const { outcome, grownBytes } = await watchMemory(at.call(flood(head, bomb)))
    expect(outcome).toMatchObject(failed('not-acceptable'))
    expect(grownBytes).toBeLessThan(MOST_RSS_BYTES)
  })

  test('five thousand layers make the header too large', async () => {
    const head = httpHead(200, `content-encoding: ${'gzip, '.repeat(5_000)}`, 'content-length: 0')
    expect(await at.call(socket => socket.write(head))).toMatchObject(failed('too-large'))
  })

  test('a transfer in another coding is not acceptable', async () => {
    const text = `${httpHead(200, 'transfer-encoding: gzip, chunked')}5\r\nhello\r\n0\r\n\r\n`
    expect(await at.call(socket => socket.write(text))).toMatchObject(failed('not-acceptable'))
  })

  test.each<[string, Behaviour]>([
    ['a body without an end', flood(httpHead(200), zeros.subarray(0, 65_536))],
    ['chunks without an end', flood(CHUNKED, '5\r\nhello\r\n')],
    ['a length that says it', socket => socket.write(httpHead(200, 'content-length: 262145'))],
    ['headers without an end', flood('HTTP/1.1 200 X\r\n', 'a: b\r\n')],
    ['one header without an end', flood('HTTP/1.1 200 X\r\na: ', 'b'.repeat(999))],
    ['a reason phrase without an end', flood('HTTP/1.1 200 ', 'x'.repeat(9_999))],
    ['a chunk extension without an end', flood(`${CHUNKED}5;a=`, 'x'.repeat(9_999))],
    ['trailers without an end', flood(`${CHUNKED}0\r\n`, 'a: b\r\n')],
  ])('%s is too large, and memory does not grow', async (_name, behaviour) => {
    const { outcome, grownBytes } = await watchMemory(at.call(behaviour))
    expect(outcome).toMatchObject(failed('too-large'))
    expect(grownBytes).toBeLessThan(MOST_RSS_BYTES)
  })

  test('a body of exactly the maximum size is accepted', async () => {
    const body = 'x'.repeat(PROBE_LIMITS.maxBytes)
    expect(await at.call(answer(body))).toMatchObject({ kind: 'answered', body })
    expect(await at.call(answer(`${body}x`))).toMatchObject(failed('too-large'))
  })
})

describe('SSRF-05 one deadline for the whole call', () => {
  const timeoutMs = 400

  test.each<[string, Behaviour]>([
    ['silence', () => undefined],
    ['a dripped status line', drip('HTTP/1.1 200 ', 'x'.repeat(9_999))],
    ['dripped headers', drip('HTTP/1.1 200 X\r\n', 'a: b\r\n'.repeat(999))],
    ['a dripped body', drip(httpHead(200, 'content-length: 9999'), 'x'.repeat(9_999))],
    ['dripped chunks', drip(CHUNKED, '1\r\nx\r\n'.repeat(999))],
    ['a body that stops', socket => socket.write(`${httpHead(200, 'content-length: 10')}hell`)],
    ['dripped interim answers', drip('', 'HTTP/1.1 103 X\r\n\r\n'.repeat(2), 30)],
  ])('%s is too slow', async (_name, behaviour) => {
    let passing: NodeJS.Timeout | undefined
    const beganMs = at.clock.nowMs()
    const outcome = await at.call(
      (socket, head) => {
        behaviour(socket, head)
        passing = setInterval(() => at.clock.pass(timeoutMs / 10), 10)
      },
      { timeoutMs },
    )
    clearInterval(passing)
    expect(outcome).toMatchObject({ ...failed('too-slow'), elapsedMs: timeoutMs })
    expect(at.clock.nowMs() - beganMs).toBe(timeoutMs)
  })

  test('a missing TLS handshake is too slow, and the request was not sent', async () => {
    const mute = await startUntrustedHost(() => undefined)
    const internet = createPretendInternet(
      { 'mute.agents.example': [UNTRUSTED_ADDRESS] },
      { [UNTRUSTED_ADDRESS]: mute.port },
    )
    const outbound = createOutbound({ localMode: false, ...internet })
    const request = { url: 'https://mute.agents.example/', method: 'POST', maxBytes: 1, timeoutMs } as const
    expect(await outbound.send(request)).toMatchObject({ reason: 'too-slow', mayHaveArrived: false })
    await outbound.close()
    await mute.close()
  })

  test('an execute that its caller aborts ends at once, with an unknown outcome', async () => {
    const giveUp = new AbortController()
    const outcome = await at.call(() => giveUp.abort(), { method: 'POST', body: '{}', signal: giveUp.signal })
    expect(outcome).toMatchObject({ ...failed('too-slow'), detail: 'given up by its caller' })
  })

  test('a call that is aborted before it begins is not made', async () => {
    const outcome = await at.call(answer(''), { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'too-slow', mayHaveArrived: false })
    expect(at.internet.connects).toEqual([])
  })
})

function failed(reason: string): object {
  return { kind: 'failed', reason, mayHaveArrived: true }
}

/** The outcome of a call, and the growth of this process's memory during it, including that of the untrusted host. */
async function watchMemory<T>(call: Promise<T>): Promise<{ outcome: T; grownBytes: number }> {
  const rssBefore = process.memoryUsage.rss()
  let rssMost = rssBefore
  const done = new AbortController()
  const outcome = call.finally(() => done.abort())
  while (!done.signal.aborted) {
    await sleep(systemClock, 10, done.signal)
    rssMost = Math.max(rssMost, process.memoryUsage.rss())
  }
  return { outcome: await outcome, grownBytes: rssMost - rssBefore }
}
