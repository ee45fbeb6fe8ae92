import { expect, test } from 'vitest'
import { createOutbound } from '../../outbound/outbound.ts'
import { healthOf, pretendOutbound, type Attempt } from '../../test-setup/network/pretend-outbound.ts'
import { answer, httpHead, startUntrustedHost } from '../../test-setup/network/untrusted-host.ts'
import { checkAgent, type CheckResult } from './check-agent.ts'

const AGENT = { endpoint: 'https://agent.example/base', calledFor: undefined, name: 'Word counter' }
const turn = (): Promise<() => void> => Promise.resolve(() => undefined)

async function checkAnswers(...attempts: readonly Attempt[]): Promise<CheckResult | undefined> {
  const left = [...attempts]
  return await checkAgent(
    pretendOutbound(() => left.shift() ?? 'refuse'),
    AGENT,
    turn,
  )
}

test('D33 HLT-04 only status 200 and the documented JSON with the registered name pass', async () => {
  const body = (text: string): Attempt => ({ status: 200, body: text })
  const verdicts: readonly (readonly [text: string, reason: string])[] = [
    ['<html>It works!</html>', 'not-json'],
    ['', 'not-json'],
    ['['.repeat(200_000), 'not-json'],
    ['null', 'not-health'],
    ['"ok"', 'not-health'],
    ['[]', 'not-health'],
    ['{}', 'not-health'],
    ['{"name":"Word counter","version":"1.0","status":"degraded"}', 'not-health'],
    ['{"name":"Word counter","version":1.0,"status":"ok"}', 'not-health'],
    ['{"name":"Word counter","version":"1.1","status":"ok"}', 'not-health'],
    ['{"name":7,"version":"1.0","status":"ok"}', 'not-health'],
    ['{"version":"1.0","status":"ok"}', 'not-health'],
    ['{"__proto__":{"name":"Word counter","version":"1.0","status":"ok"}}', 'not-health'],
    [healthOf('Word Counter'), 'wrong-name'],
    [healthOf(''), 'wrong-name'],
  ]
  for (const [text, reason] of verdicts) {
    expect(await checkAnswers(body(text), body(text)), text.slice(0, 60)).toEqual({ ok: false, reason })
  }
  for (const status of [201, 204, 301, 404, 500, 503]) {
    const wrong = { status, body: healthOf(AGENT.name) }
    expect(await checkAnswers(wrong, wrong)).toEqual({ ok: false, reason: 'wrong-status' })
  }
  expect(await checkAnswers('ok')).toEqual({ ok: true, latencyMs: 7 })
})

test('D36 an agent whose name is not known yet passes with any name', async () => {
  const outbound = pretendOutbound(() => ({ status: 200, body: healthOf('Anything') }))
  expect(await checkAgent(outbound, { ...AGENT, name: '' }, turn)).toMatchObject({ ok: true })
})

test('HLT-05 a host that wakes up for the second attempt passes; the timeouts are 5 and then 30 seconds', async () => {
  const timeouts: number[] = []
  const urls = new Set<string>()
  const outbound = pretendOutbound(request => {
    timeouts.push(request.timeoutMs)
    urls.add(`${request.method} ${request.url}`)
    return timeouts.length === 1 ? 'refuse' : 'ok'
  })
  expect(await checkAgent(outbound, AGENT, turn)).toMatchObject({ ok: true })
  expect(timeouts).toEqual([5_000, 30_000])
  expect([...urls]).toEqual(['GET https://agent.example/base/health'])
})

test('D33 there is no third attempt, and no result when there was no slot for the second', async () => {
  let attempts = 0
  const outbound = pretendOutbound(() => {
    attempts += 1
    return 'refuse'
  })
  expect(await checkAgent(outbound, AGENT, turn)).toEqual({ ok: false, reason: 'unreachable' })
  expect(attempts).toBe(2)
  expect(await checkAgent(outbound, AGENT, () => Promise.resolve(undefined))).toBeUndefined()
})

test('D33 D37 over real connections, a redirect, a flood and a private address fail, and an agent passes', async () => {
  const outbound = createOutbound({ localMode: true })
  const good = await startUntrustedHost(answer(healthOf(AGENT.name)))
  const elsewhere = await startUntrustedHost(socket => {
    socket.end(httpHead(302, `location: http://127.0.0.1:${good.port}/health`, 'content-length: 0'))
  })
  const flood = await startUntrustedHost(answer(`"${'x'.repeat(300_000)}"`))
  try {
    const check = (endpoint: string): Promise<CheckResult | undefined> =>
      checkAgent(outbound, { ...AGENT, endpoint }, turn)
    expect(await check(`http://127.0.0.1:${good.port}`)).toMatchObject({ ok: true })
    expect(good.requests[0]).toMatch(/^GET \/health HTTP\/1.1/)
    expect(await check(`http://127.0.0.1:${elsewhere.port}`)).toEqual({ ok: false, reason: 'wrong-status' })
    expect(good.requests).toHaveLength(1)
    expect(await check(`http://127.0.0.1:${flood.port}`)).toEqual({ ok: false, reason: 'too-large' })
    expect(await check('https://10.0.0.1')).toEqual({ ok: false, reason: 'refused-address' })
  } finally {
    await outbound.close()
    await Promise.all([good.close(), elsewhere.close(), flood.close()])
  }
})
