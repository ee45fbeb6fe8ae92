import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { webhookNotice } from '@farebox/platform-api/monitor'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { watchMany } from '../../test-setup/database/watch-many.ts'
import { announce as announceIn, type Announcement } from '../../owners/announce.ts'
import { startDeliveries } from './send-deliveries.ts'
import { deleteWebhook, readWebhook, setWebhook } from './webhooks.ts'

const OWNER = `0x${'1'.padStart(40, '0')}`
const AT_MS = Date.UTC(2027, 0, 1)
const OFFLINE: Announcement = { agentId: 1, event: 'offline', failures: 5, atMs: AT_MS }

interface Received {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: string
}

let stage: Stage
let url: string
let status = 204
let received: Received[] = []
let closeReceiver: () => Promise<unknown>

beforeEach(async () => {
  status = 204
  received = []
  stage = await stagePlatform({ realTime: true })
  await watchMany(stage.database, { count: 2, endpoint: `'https://agent-' || id || '.example'` })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=7`
  closeReceiver = () =>
    new Promise(resolve => {
      server.closeAllConnections()
      server.close(resolve)
    })
})

afterEach(async () => {
  await stage.close()
  await closeReceiver()
})

async function announce(announcement: Announcement): Promise<void> {
  await stage.database.inTransaction(client => announceIn(client, [announcement]))
}

/** Sends deliveries until a condition holds. */
async function deliverUntil(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deliveries = startDeliveries(stage.parts)
  await until(holds)
  await deliveries.stop()
}

interface Delivery {
  readonly state: string
  readonly attempts: number
  readonly failure: string | null
  /** Minutes until the next attempt. */
  readonly minutes: number | null
}

async function deliveries(): Promise<readonly Delivery[]> {
  const { rows } = await stage.database.pool.query<Delivery>(
    `select state, attempts, failure, case when state = 'waiting'
       then round(extract(epoch from due_at - now()) / 60)::integer end as minutes from webhook_deliveries`,
  )
  return rows
}

test('an owner gets a notice of each event, signed with a secret that is shown once', async () => {
  const beganSeconds = Math.floor(Date.now() / 1_000)
  const secret = await setWebhook(stage.database, 1, { owner: OWNER, url, nowMs: AT_MS })
  await announce(OFFLINE)
  await deliverUntil(async () => (await deliveries())[0]?.state === 'delivered')
  const [notice] = received
  const { body, headers } = notice ?? { body: '', headers: {} }
  const parsed = webhookNotice.parse(JSON.parse(body))
  expect(parsed).toMatchObject({
    event: 'agent.offline',
    agent_id: 1,
    consecutive_failures: 5,
    at: AT_MS / 1_000,
  })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'farebox-delivery': parsed.delivery_id,
  })
  const [, seconds, signature] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['farebox-signature'])) ?? []
  expect(signature).toBe(createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'))
  expect(Number(seconds)).toBeGreaterThanOrEqual(beganSeconds)
  expect(Number(seconds)).toBeLessThanOrEqual(Date.now() / 1_000 + 1)
  expect(await readWebhook(stage.database, 1, OWNER)).toMatchObject({
    url,
    lastDelivery: { event: 'agent.offline', state: 'delivered', deliveredAtMs: expect.any(Number) },
  })
  expect(JSON.stringify(await readWebhook(stage.database, 1, OWNER))).not.toContain(secret)
})

test('a notice that is not accepted is repeated with the same id, five times over an hour, and then abandoned', async () => {
  status = 500
  await setWebhook(stage.database, 1, { owner: OWNER, url, nowMs: AT_MS })
  await announce(OFFLINE)
  const pauses: (number | null)[] = []
  for (let attempt = 1; attempt <= 5; attempt++) {
    await deliverUntil(async () => (await deliveries())[0]?.failure === 'answered 500')
    const [one] = await deliveries()
    pauses.push(one?.minutes ?? null)
    await stage.database.pool.query(
      `update webhook_deliveries set due_at = now(), failure = null where state = 'waiting'`,
    )
  }
  expect(pauses).toEqual([1, 5, 14, 40, null])
  expect(await deliveries()).toMatchObject([{ state: 'given-up', attempts: 5 }])
  expect(received).toHaveLength(5)
  expect(new Set(received.map(one => one.headers['farebox-delivery'])).size).toBe(1)
  expect(await readWebhook(stage.database, 1, OWNER)).toMatchObject({
    lastDelivery: { state: 'given-up', attempts: 5, failure: 'answered 500' },
  })
})

test('a notice is sent only to the current owner', async () => {
  await setWebhook(stage.database, 1, { owner: OWNER, url, nowMs: AT_MS })
  await announce(OFFLINE)
  await stage.database.pool.query(`update agents set owner = $1 where agent_id = 1`, [`0x${'f'.repeat(40)}`])
  await announce({ ...OFFLINE, event: 'back', failures: 0 })
  // An agent of another owner; its notice must not wait behind the first.
  await setWebhook(stage.database, 2, { owner: `0x${'2'.padStart(40, '0')}`, url, nowMs: AT_MS })
  await announce({ ...OFFLINE, agentId: 2 })
  await deliverUntil(() => received.length > 0)
  expect(received.map(one => (JSON.parse(one.body) as { agent_id: number }).agent_id)).toEqual([2])
  expect(await readWebhook(stage.database, 1, `0x${'f'.repeat(40)}`)).toBeUndefined()
  expect(await deleteWebhook(stage.database, 1, `0x${'f'.repeat(40)}`)).toBe(false)
})

test('no notice is written for an agent without a webhook, and removing a webhook deletes its notices', async () => {
  await announce(OFFLINE)
  expect(await deliveries()).toEqual([])
  await setWebhook(stage.database, 1, { owner: OWNER, url, nowMs: AT_MS })
  await announce(OFFLINE)
  expect(await deleteWebhook(stage.database, 1, OWNER)).toBe(true)
  expect(await deliveries()).toEqual([])
  expect(await readWebhook(stage.database, 1, OWNER)).toBeUndefined()
})
