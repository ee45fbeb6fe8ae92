import type { Socket } from 'node:net'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { afterEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../test-setup/network/certificate.ts'
import { startNameServer } from '../test-setup/network/name-server.ts'
import { createPretendInternet } from '../test-setup/network/pretend-internet.ts'
import {
  answer,
  httpHead,
  startUntrustedHost,
  type Behaviour,
  type UntrustedHost,
} from '../test-setup/network/untrusted-host.ts'
import { createOutbound, type Outbound, type OutboundOutcome } from './outbound.ts'
import { createResolve } from './address/resolve-name.ts'

const certificate = makeCertificate(['*.agents.example'])
const ca = certificate.certificate
const PUBLIC = '93.184.216.34'
const OTHER = '93.184.216.35'

const opened: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

async function stranger(behave: Behaviour): Promise<UntrustedHost> {
  const server = await startUntrustedHost(behave, { certificate })
  opened.push(() => server.close())
  return server
}

/** Creates a guard with a clock that a test must advance, so that no call times out, however busy the machine is. */
function guard(options: Parameters<typeof createOutbound>[0]): Outbound {
  const outbound = createOutbound({ clock: createManualClock(), ...options })
  opened.push(() => outbound.close())
  return outbound
}

function get(outbound: Outbound, host: string, timeoutMs = 5_000): Promise<OutboundOutcome> {
  return outbound.send({ url: `https://${host}/`, method: 'GET', maxBytes: 1_000, timeoutMs })
}

function post(outbound: Outbound, place: string, timeoutMs: number): Promise<OutboundOutcome> {
  return outbound.send({ url: `https://${place}`, method: 'POST', body: '{}', maxBytes: 1_000, timeoutMs })
}

/** An untrusted host that holds its responses back, and the number it holds. */
function holdAnswers(): {
  readonly behave: Behaviour
  readonly held: Socket[]
  release(): void
  most: number
} {
  const held: Socket[] = []
  const holding = {
    held,
    most: 0,
    behave: (socket: Socket) => {
      held.push(socket)
      holding.most = Math.max(holding.most, held.length)
    },
    release: () => {
      for (const socket of held.splice(0)) socket.write(httpHead(200, 'content-length: 0'))
    },
  }
  return holding
}

describe('SSRF-06 names that do not resolve', () => {
  test('a thousand of them do not delay another call, and end at their deadline', async () => {
    const server = await stranger(answer('hello'))
    const names = await startNameServer(name =>
      name.startsWith('hang') ? 'nothing' : [{ name, type: 'A', data: PUBLIC }],
    )
    opened.push(() => names.close())
    const { connectTo } = createPretendInternet({}, { [PUBLIC]: server.port })
    const clock = createManualClock()
    const outbound = guard({
      localMode: false,
      ca,
      clock,
      connectTo,
      resolve: createResolve([names.address]),
    })
    let ended = 0
    const hanging = Array.from({ length: 1_000 }, (_, index) =>
      get(outbound, `hang${index}.agents.example`).finally(() => (ended += 1)),
    )
    // The name server's own buffer holds a few hundred of two thousand concurrent queries.
    await expect.poll(() => names.questions.length).toBeGreaterThan(200)
    const quick = await get(outbound, 'quick.agents.example')
    expect(quick).toMatchObject({ kind: 'answered', body: 'hello' })
    expect(ended).toBe(0)
    clock.pass(5_000)
    const outcomes = await Promise.all(hanging)
    expect(new Set(outcomes.map(outcome => (outcome.kind === 'failed' ? outcome.reason : '')))).toEqual(
      new Set(['too-slow']),
    )
  })
})

describe('SSRF-07 a thousand agents at one victim', () => {
  test('one host gets a limited number of concurrent calls, in order, and another host is called at once', async () => {
    const victim = holdAnswers()
    const busy = await stranger(victim.behave)
    const idle = await stranger(answer(''))
    const outbound = guard({
      localMode: false,
      ca,
      perHost: 3,
      ...createPretendInternet(
        { 'victim.agents.example': [PUBLIC], 'other.agents.example': [OTHER] },
        { [PUBLIC]: busy.port, [OTHER]: idle.port },
      ),
    })
    const calls = Array.from({ length: 20 }, () => get(outbound, 'victim.agents.example'))
    await expect.poll(() => victim.held.length).toBe(3)
    expect(await get(outbound, 'other.agents.example')).toMatchObject({ kind: 'answered' })
    for (let answered = 0; answered < 20; answered += 3) {
      await expect.poll(() => victim.held.length).toBe(Math.min(3, 20 - answered))
      victim.release()
    }
    const outcomes = await Promise.all(calls)
    expect(outcomes.every(outcome => outcome.kind === 'answered')).toBe(true)
    expect(victim.most).toBe(3)
    expect(busy.connections()).toBeLessThanOrEqual(4)
  })

  test('many hosts at one address get four times as many concurrent calls', async () => {
    const victim = holdAnswers()
    const busy = await stranger(victim.behave)
    const { connectTo } = createPretendInternet({}, { [PUBLIC]: busy.port, '93.184.216.99': 1 })
    // The first address is the attacker's own and unreachable; it must not hide the owner of the second.
    const resolve = async () => ['93.184.216.99', PUBLIC]
    const outbound = guard({ localMode: false, ca, perHost: 1, resolve, connectTo })
    const calls = Array.from({ length: 12 }, (_, index) => get(outbound, `agent${index}.agents.example`))
    for (let answered = 0; answered < 12; answered += 4) {
      await expect.poll(() => victim.held.length).toBe(4)
      victim.release()
    }
    expect((await Promise.all(calls)).every(outcome => outcome.kind === 'answered')).toBe(true)
    expect(victim.most).toBe(4)
  })

  test('a call that waits for a slot until its deadline fails as too slow, and is not sent', async () => {
    const victim = holdAnswers()
    const busy = await stranger(victim.behave)
    const clock = createManualClock()
    const outbound = guard({
      localMode: false,
      ca,
      clock,
      perHost: 1,
      ...createPretendInternet({ 'victim.agents.example': [PUBLIC] }, { [PUBLIC]: busy.port }),
    })
    const first = get(outbound, 'victim.agents.example')
    await expect.poll(() => victim.held.length).toBe(1)
    const second = get(outbound, 'victim.agents.example', 100)
    clock.pass(100)
    expect(await second).toMatchObject({
      kind: 'failed',
      reason: 'too-slow',
      mayHaveArrived: false,
    })
    victim.release()
    expect(await first).toMatchObject({ kind: 'answered' })
  })

  test('work does not prevent an agent from being checked', async () => {
    const victim = holdAnswers()
    const busy = await stranger((socket, head) =>
      head.startsWith('POST') ? victim.behave(socket, head) : answer('well')(socket, head),
    )
    const outbound = guard({
      localMode: false,
      ca,
      perHost: 2,
      ...createPretendInternet({ 'victim.agents.example': [PUBLIC] }, { [PUBLIC]: busy.port }),
    })
    const post = {
      url: 'https://victim.agents.example/execute',
      method: 'POST',
      maxBytes: 1,
      timeoutMs: 5_000,
    } as const
    const work = [outbound.send(post), outbound.send(post), outbound.send(post)]
    await expect.poll(() => victim.held.length).toBe(2)
    expect(await get(outbound, 'victim.agents.example')).toMatchObject({ kind: 'answered', body: 'well' })
    victim.release()
    await expect.poll(() => victim.held.length).toBe(1)
    victim.release()
    expect((await Promise.all(work)).every(outcome => outcome.kind === 'answered')).toBe(true)
  })
})

describe('SSRF-07 work that does not end', () => {
  test('leaves the same host a slot for short requests', async () => {
    const victim = holdAnswers()
    const busy = await stranger((socket, head) =>
      head.startsWith('POST /slow') ? victim.behave(socket, head) : answer('a price')(socket, head),
    )
    const outbound = guard({
      localMode: false,
      ca,
      perHost: 1,
      ...createPretendInternet({ 'victim.agents.example': [PUBLIC] }, { [PUBLIC]: busy.port }),
    })
    const slow = [1, 2].map(() => post(outbound, 'victim.agents.example/slow', 60_000))
    await expect.poll(() => victim.held.length).toBe(1)
    expect(await post(outbound, 'victim.agents.example/quick', 5_000)).toMatchObject({ body: 'a price' })
    expect(victim.most).toBe(1)
    await outbound.close()
    await Promise.all(slow)
  })

  test.each([9_000, 60_000])(
    'of four hosts at a shared address leaves the others their slots (%s ms)',
    async timeoutMs => {
      const victim = holdAnswers()
      const busy = await stranger((socket, head) =>
        head.includes('good.agents.example') ? answer('done')(socket, head) : victim.behave(socket, head),
      )
      const { connectTo } = createPretendInternet({}, { [PUBLIC]: busy.port })
      const outbound = guard({ localMode: false, ca, perHost: 2, resolve: async () => [PUBLIC], connectTo })
      const hosts = ['bad0', 'bad1', 'bad2', 'bad3'].flatMap(name => [name, name, name])
      const slow = hosts.map(name => post(outbound, `${name}.agents.example/`, timeoutMs))
      await expect.poll(() => victim.held.length).toBe(8)
      expect(await post(outbound, 'good.agents.example/', timeoutMs / 3)).toMatchObject({ body: 'done' })
      await outbound.close()
      await Promise.all(slow)
    },
  )
})

describe('connections are kept', () => {
  test('for a limited number of origins, the oldest closed first', async () => {
    const sockets = new Set<Socket>()
    const server = await stranger((socket, head) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      answer('')(socket, head)
    })
    const { connectTo } = createPretendInternet({}, { [PUBLIC]: server.port })
    const outbound = guard({ localMode: false, ca, connectTo, resolve: async () => [PUBLIC], perHost: 8 })
    for (let batch = 0; batch < 10; batch++) {
      const hosts = Array.from({ length: 30 }, (_, index) => `agent${batch}x${index}.agents.example`)
      await Promise.all(hosts.map(host => get(outbound, host)))
    }
    expect(server.connections()).toBe(300)
    await expect.poll(() => sockets.size).toBeLessThanOrEqual(256)
  })

  test('without a listener left behind after many calls', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): number => warnings.push(warning)
    process.on('warning', note)
    const server = await stranger(answer(''))
    const outbound = guard({
      localMode: false,
      ca,
      ...createPretendInternet({ 'one.agents.example': [PUBLIC] }, { [PUBLIC]: server.port }),
    })
    for (let round = 0; round < 30; round++) await get(outbound, 'one.agents.example')
    process.off('warning', note)
    expect([server.connections(), warnings]).toEqual([1, []])
  })

  test('but one that the untrusted host has closed is not used, and the call is made over another', async () => {
    const server = await stranger(socket => socket.end(`${httpHead(200, 'content-length: 2')}ok`))
    const outbound = guard({
      localMode: false,
      ca,
      ...createPretendInternet({ 'one.agents.example': [PUBLIC] }, { [PUBLIC]: server.port }),
    })
    for (let round = 0; round < 20; round++) {
      const outcome = await outbound.send({
        url: 'https://one.agents.example/execute',
        method: 'POST',
        body: '{}',
        maxBytes: 10,
        timeoutMs: 5_000,
      })
      expect(outcome).toMatchObject({ kind: 'answered', body: 'ok' })
    }
    expect(server.requests.length).toBe(20)
  })

  test('until the guard is closed, which ends calls in progress, and fails later calls the same way', async () => {
    const holding = holdAnswers()
    const server = await stranger(holding.behave)
    const outbound = guard({
      localMode: false,
      ca,
      ...createPretendInternet({ 'one.agents.example': [PUBLIC] }, { [PUBLIC]: server.port }),
    })
    const underWay = get(outbound, 'one.agents.example')
    await expect.poll(() => holding.held.length).toBe(1)
    await outbound.close()
    expect(await underWay).toMatchObject({ reason: 'unreachable', mayHaveArrived: true })
    expect(await get(outbound, 'one.agents.example')).toMatchObject({
      reason: 'unreachable',
      mayHaveArrived: false,
    })
  })
})
