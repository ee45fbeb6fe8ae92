import { afterEach, beforeEach, expect, test } from 'vitest'
import { createServer, type Server } from 'node:http'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { AddressInfo } from 'node:net'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { watchDependencies } from './watch-dependencies.ts'
import {
  forgetDependencyOutages,
  OUTAGES_KEPT_MS,
  sawDependencyOutage,
  writeDependencyOutage,
} from './dependency-outages.ts'

const SECOND_MS = 1_000

let stage: Stage
let isReady: boolean
let facilitator: Server

beforeEach(async () => {
  isReady = true
  facilitator = createServer((_, response) => {
    response.writeHead(isReady ? 200 : 503, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>(resolve => facilitator.listen(0, '127.0.0.1', resolve))
  const { port } = facilitator.address() as AddressInfo
  stage = await stagePlatform({
    settings: { facilitator: { url: `http://127.0.0.1:${port}`, adminToken: 'of the tests' } },
    rpc: {
      call: async () => ({ number: '0x1', timestamp: '0x1' }),
      close: () => Promise.resolve(),
    },
  })
})
afterEach(async () => {
  await stage.close()
  facilitator.closeAllConnections()
  await new Promise(resolve => facilitator.close(resolve))
})

async function outages(): Promise<readonly { what: string; seconds: number }[]> {
  const { rows } = await stage.database.pool.query<{ what: string; seconds: number }>(
    'select what, extract(epoch from seen_at - began_at)::float8 as seconds from outages order by outage_id',
  )
  return rows
}

test('a continuing outage is one row, a later one another, and only jobs that overlap it are excused', async () => {
  const { database, clock } = stage
  const nowMs = clock.nowMs()
  const away = (fromSeconds: number, toSeconds: number) =>
    writeDependencyOutage(database, {
      what: 'facilitator',
      fromMs: nowMs + fromSeconds * SECOND_MS,
      toMs: nowMs + toSeconds * SECOND_MS,
    })
  await away(0, 2)
  await away(5, 7)
  await away(100, 102)
  expect(await outages()).toEqual([
    { what: 'facilitator', seconds: 7 },
    { what: 'facilitator', seconds: 2 },
  ])
  const overlaps = (from: number, to: number) =>
    sawDependencyOutage(database, nowMs + from * SECOND_MS, nowMs + to * SECOND_MS)
  expect(await overlaps(-10, -1)).toBe(false)
  expect(await overlaps(6, 20)).toBe(true)
  expect(await overlaps(20, 90)).toBe(false)
  expect(await overlaps(90, 200)).toBe(true)
  await forgetDependencyOutages(database, nowMs + OUTAGES_KEPT_MS + 50 * SECOND_MS)
  expect(await outages()).toHaveLength(1)
})

test('a facilitator that is not ready is detected at once, also by a check between two rounds', async () => {
  const watch = watchDependencies(stage.parts)
  try {
    expect(await watch.isAway()).toBe(false)
    isReady = false
    stage.clock.pass(2 * SECOND_MS)
    expect(await watch.isAway()).toBe(true)
    expect(await outages()).toMatchObject([{ what: 'facilitator' }])
  } finally {
    await watch.stop()
  }
})

test("a clock that differs from the node's is an outage of the platform, because it sets the deadlines", async () => {
  let said: string | undefined = "our clock is 40 s behind the node's"
  const clockSkew = () => (said === undefined ? undefined : { said, isUnfit: true })
  const watch = watchDependencies({ ...stage.parts, clockSkew })
  try {
    expect(await watch.isAway()).toBe(true)
    expect(await outages()).toMatchObject([{ what: 'platform' }])
    said = undefined
    stage.clock.pass(2 * SECOND_MS)
    expect(await watch.isAway()).toBe(false)
  } finally {
    await watch.stop()
  }
})

test('a process that was suspended for longer than a round may have missed responses of agents', async () => {
  const watch = watchDependencies(stage.parts)
  try {
    await until(() => stage.clock.waiting() > 0)
    stage.clock.pass(60 * SECOND_MS)
    await until(async () => (await outages()).length > 0)
    expect(await outages()).toEqual([{ what: 'platform', seconds: 60 }])
  } finally {
    await watch.stop()
  }
})
