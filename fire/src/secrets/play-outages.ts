import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jobBody, signFor } from '../../../e2e/stage/pay.ts'
import type { SecretStage, WatchedAgent } from './secret-stage.ts'

/** How long an outage lasts: long enough for what asks in rounds to notice. */
const OUTAGE_MS = 6_000

/**
 * Takes away the node, the database and Redis while jobs are asked for, in each way: what programs say of what they
 * stand on is where passwords are found. Resolves to the number of outages.
 */
export async function playOutages(set: SecretStage, signal: AbortSignal): Promise<number> {
  const { node, database, redis } = set
  const outages: readonly (readonly [() => void, () => void])[] = [
    [() => node.behave('refuse'), () => node.behave('hand on')],
    [() => node.behave('answer html'), () => node.behave('hand on')],
    [() => node.behave('break off'), () => node.behave('hand on')],
    [() => database.cut(), () => database.restore()],
    [() => redis.cut(), () => redis.restore()],
  ]
  let played = 0
  for (const [begin, end] of outages) {
    if (signal.aborted) return played
    begin()
    const asked = Promise.all([ask(set, set.believer), ask(set, set.doubter), askAdmin(set)])
    await delay(OUTAGE_MS, undefined, { signal }).catch(() => undefined)
    await readPages(set)
    end()
    await asked
    played += 1
  }
  await readPages(set)
  return played
}

async function ask({ stage, scan, planted }: SecretStage, agent: WatchedAgent): Promise<void> {
  const jobId = randomUUID()
  const endpoint = `${agent.process.url}/execute`
  const header = await signFor(stage, {
    payTo: agent.wallet,
    price: '0.01',
    payerKey: planted.payerKey,
    boundTo: { endpoint, capability: 'work', jobId },
  })
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly payload: { readonly signature: string }
  }
  scan.plant('signature of a payment', payload.signature)
  await read(scan, 'answer in an outage', endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': header },
    body: jobBody(jobId, { how: 'answer' }),
  })
}

/** The facilitator's administration, with the right token and with wrong ones; a secret that it makes is its answer's. */
async function askAdmin({ facilitator, scan, planted }: SecretStage): Promise<void> {
  const url = `${facilitator.url}/secrets`
  for (const token of [planted.adminToken, planted.wrongSecret, `${planted.adminToken}x`]) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    await read(scan, 'answer of the facilitator', `${url}?owner=nobody&token=${token}`, { headers })
    await read(scan, 'answer of the facilitator', url, {
      method: 'POST',
      headers,
      body: `{"owner":"${token}"`,
    })
  }
  const headers = { authorization: `Bearer ${planted.wrongSecret}` }
  await read(scan, 'answer of the facilitator', `${facilitator.url}/verify`, {
    method: 'POST',
    headers,
    body: '{}',
  })
}

/** What anybody may read: health, ready, supported, and the metrics. */
async function readPages(set: SecretStage): Promise<void> {
  const { facilitator, facilitatorMetricsUrl, believer, doubter, free, scan } = set
  const agents = [believer.process.url, doubter.process.url, free.url]
  const pages = [
    ...['health', 'ready', 'supported'].map(page => `${facilitator.url}/${page}`),
    ...agents.flatMap(url => [`${url}/health`, `${url}/about`]),
    facilitatorMetricsUrl,
    believer.metricsUrl,
    doubter.metricsUrl,
  ]
  for (const page of pages) await read(scan, `page ${new URL(page).pathname}`, page, {})
}

async function read(
  scan: SecretStage['scan'],
  source: string,
  url: string,
  request: RequestInit,
): Promise<void> {
  try {
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(15_000) })
    scan.read(source, `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}\n`)
  } catch (error) {
    scan.read(source, `${String(error)}\n`)
  }
}
