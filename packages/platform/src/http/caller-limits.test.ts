import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import { expect, test } from 'vitest'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { echoRoute, postEcho } from '../test-setup/echo-route.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stageApps } from '../test-setup/stage-apps.ts'
import { defineRoute, type Route } from './route.ts'

const OWNER = `0x${'ab'.repeat(20)}`

const staged = stageApps()

test('API4 one caller may send a limited number of requests, and gets the time to retry', async () => {
  const clock = createManualClock()
  const route: Route = { ...echoRoute, perMinute: 6 }
  const other: Route = { ...echoRoute, path: '/v1/others/:thingId', perMinute: 6 }
  const app = staged.open([route, other], { parts: { ...staged.parts, clock } })
  const ask = answersAsDocumented(app, [route, other])
  const from = async (remoteAddress: string, url = '/v1/things/1'): Promise<number> =>
    (await ask(postEcho({ name: 'ab' }, { remoteAddress, url }))).statusCode
  for (let time = 0; time < 6; time += 1) expect(await from('203.0.113.7')).toBe(200)
  const refused = await ask(postEcho({ name: 'ab' }, { remoteAddress: '203.0.113.7' }))
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '10'])
  expect(refused.json()).toMatchObject({ error_type: 'rate_limited' })
  // Another route; another caller; the same caller in another notation; the same caller later.
  expect(await from('203.0.113.7', '/v1/others/1')).toBe(200)
  expect(await from('203.0.113.8')).toBe(200)
  expect(await from('::ffff:203.0.113.7')).toBe(429)
  clock.pass(10_000)
  expect([await from('203.0.113.7'), await from('203.0.113.7')]).toEqual([200, 429])
})

test('API4 all IPv6 addresses of a household count as one caller; owners count by their address', async () => {
  const clock = createManualClock()
  const route: Route = { ...echoRoute, perMinute: 1 }
  const app = staged.open([route], { parts: { ...staged.parts, clock } })
  const from = async (remoteAddress: string, headers = {}): Promise<number> =>
    (
      await app.inject(
        postEcho(
          { name: 'ab' },
          { remoteAddress, headers: { 'content-type': 'application/json', ...headers } },
        ),
      )
    ).statusCode
  expect([await from('2001:db8:1:2::1'), await from('2001:db8:1:2:ffff::9')]).toEqual([200, 429])
  expect(await from('2001:db8:1:3::1')).toBe(200)
  const owner = await signedInAs({ ...staged.parts, clock }, OWNER)
  expect([await from('198.51.100.1', owner), await from('198.51.100.2', owner)]).toEqual([200, 429])
})

test('API4 an address has a limit over all routes, including unknown ones', async () => {
  const app = staged.open([echoRoute], {
    requestsPerMinute: 3,
    parts: { ...staged.parts, clock: createManualClock() },
  })
  const codes: number[] = []
  for (let time = 0; time < 4; time += 1)
    codes.push((await app.inject({ url: `/nowhere/${time}` })).statusCode)
  expect(codes).toEqual([404, 404, 404, 429])
})

test('x-forwarded-for is used only from configured proxies', async () => {
  const route = defineRoute({
    method: 'GET',
    path: '/v1/ip',
    summary: 'Who asks',
    access: 'public',
    answers: { 200: { description: 'You' } },
    handle: async ({ caller }) => ({ body: caller.ip }),
  })
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const request = { url: '/v1/ip', headers, remoteAddress: '10.0.0.5' }
  expect((await staged.open([route]).inject(request)).body).toBe('"10.0.0.5"')
  const behind = staged.open([route], { trustedProxies: ['10.0.0.0/8'] })
  expect((await behind.inject(request)).body).toBe('"203.0.113.9"')
  const lying = { ...request, remoteAddress: '198.51.100.1' }
  expect((await behind.inject(lying)).body).toBe('"198.51.100.1"')
})
