import { randomUUID } from 'node:crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { until, untilAborted } from '@farebox/protocol/src/test-setup/until'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OutboundOutcome, OutboundRequest } from '../outbound/outbound.ts'
import type { Background } from '../work/loop.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import {
  endSendings,
  hostOf,
  JOB_LEASE_MS,
  takeJobsToCheckPayment,
  takeJobsToSend,
} from './records/job-leases.ts'
import { insertJob, type NewJob } from './records/job-store.ts'
import { startJobs, type JobsOptions } from './drive/start-jobs.ts'

const SLOW = 'https://slow.example'
const WALLET = `0x${'ab'.repeat(20)}`
const MINUTE_MS = 60_000

let stage: Stage
let jobs: Background | undefined
/** The URLs of sends that are currently hanging. */
let hanging: string[]
let sent: string[]
let seenOnChain: number

beforeEach(async () => {
  ;[hanging, sent, seenOnChain] = [[], [], 0]
  const rpc: JsonRpc = {
    call: () => {
      seenOnChain++
      return Promise.reject(new Error('a node that is down'))
    },
    close: () => Promise.resolve(),
  }
  const outbound = {
    judge: (url: string) => ({ ok: true, url }) as const,
    close: () => Promise.resolve(),
    send: hang,
  }
  stage = await stagePlatform({ rpc, outbound, realTime: true })
})
afterEach(async () => {
  await jobs?.stop()
  jobs = undefined
  await stage.close()
})

/** Slow hosts answer only when the request is aborted; others fail at once. */
async function hang({ url, signal }: OutboundRequest): Promise<OutboundOutcome> {
  sent.push(url)
  if (url.includes('slow')) {
    hanging.push(url)
    await untilAborted(signal)
    hanging.splice(hanging.indexOf(url), 1)
  }
  return { kind: 'failed', reason: 'too-slow', elapsedMs: 1, detail: 'pretended', mayHaveArrived: true }
}

interface JobTerms {
  readonly endpoint: string
  readonly agentId?: number
  readonly maxDeadlineSeconds?: number
  readonly validSeconds?: number
  readonly atMs?: number
}

async function write(terms: JobTerms): Promise<string> {
  const { endpoint, agentId = 1, maxDeadlineSeconds = 3_600, validSeconds = 3_600, atMs = Date.now() } = terms
  const jobId = randomUUID()
  const authorization = {
    from: WALLET,
    to: WALLET,
    value: '1',
    validAfter: '0',
    validBefore: String(Math.floor(atMs / 1_000) + validSeconds),
    nonce: `0x${jobId.replaceAll('-', '').repeat(2)}`,
  }
  const { network } = stage.parts
  const job: NewJob = {
    jobId,
    agentId,
    authorization,
    endpoint,
    maxDeadlineSeconds,
    capability: 'count',
    kind: 'caller',
    payer: WALLET,
    payTo: WALLET,
    amountAtomic: 1n,
    trace: undefined,
    network: network.id,
    asset: network.asset.address,
    inputHash: '0'.repeat(64),
    requestBody: '{}',
    sealedPayment: stage.parts.seal.seal(jobId, 'e30='),
    deadline: atMs / 1_000 + maxDeadlineSeconds,
    tokenHashes: ['00'.repeat(32)],
  }
  if ((await insertJob(stage.database, job, atMs)) === undefined) throw new Error('it was not written')
  return jobId
}

async function writeMany(count: number, terms: JobTerms): Promise<readonly string[]> {
  return await Promise.all(Array.from({ length: count }, () => write(terms)))
}

function start(options: JobsOptions): void {
  jobs = startJobs(stage.parts, { pollMs: 10, ...options })
}

async function held(): Promise<number> {
  const { rows } = await stage.database.pool.query('select 1 from jobs where lease_until is not null')
  return rows.length
}

test('a host that never answers has a limited number of sends, and other hosts get the free slots', async () => {
  await insertAgent(stage.database)
  await writeMany(30, { endpoint: SLOW, atMs: Date.now() - MINUTE_MS })
  start({ slots: 16, perHost: 2 })
  await until(() => hanging.length === 2)
  await write({ endpoint: 'https://quick.example' })
  await until(() => sent.includes('https://quick.example/execute'))
  await until(async () => (await held()) === 2)
  expect(hanging).toHaveLength(2)
})

test('agents on one host share the limit of the host', async () => {
  for (const agentId of [1, 2, 3]) {
    await insertAgent(stage.database, { agentId })
    await writeMany(4, { agentId, endpoint: `${SLOW}:${8_443 + agentId}/agent-${agentId}` })
  }
  const taken = await takeJobsToSend(stage.database, taking({ perKey: 5 }))
  expect(taken.map(({ endpoint }) => hostOf(endpoint))).toEqual(
    Array.from({ length: 5 }, () => 'slow.example'),
  )
})

test('twenty hosts that never answer leave a slot for another host', async () => {
  await insertAgent(stage.database)
  for (let host = 0; host < 20; host++)
    await writeMany(16, { endpoint: `https://slow${host}.example`, atMs: Date.now() - MINUTE_MS })
  start({})
  await until(() => hanging.length > 100)
  await write({ endpoint: 'https://quick.example' })
  await until(() => sent.includes('https://quick.example/execute'))
  expect(new Set(hanging).size).toBe(20)
})

test('payments are checked while every send hangs', async () => {
  await insertAgent(stage.database)
  const [answered = ''] = await writeMany(1, { endpoint: SLOW })
  await stage.database.pool.query(
    `update jobs set sends = false, has_left = true, answer = 'completed' where job_id = $1`,
    [answered],
  )
  await write({ endpoint: SLOW })
  start({ slots: 1, perHost: 1, paymentCheckSlots: 1 })
  await until(() => hanging.length === 1 && seenOnChain > 0)
  expect(sent).toHaveLength(1)
})

test('a job that waited to be sent until its payment expired gets a payment check instead', async () => {
  await insertAgent(stage.database)
  const atMs = Date.now()
  const jobId = await write({ endpoint: SLOW, validSeconds: 60, maxDeadlineSeconds: 60, atMs })
  const [later, muchLater] = [atMs + 10 * MINUTE_MS, atMs + 17 * MINUTE_MS]
  await endSendings(stage.database, later)
  expect(
    await takeJobsToCheckPayment(stage.database, { holder: randomUUID(), limit: 9, nowMs: later }),
  ).toEqual([])
  await endSendings(stage.database, muchLater)
  expect(await takeJobsToSend(stage.database, taking({ nowMs: muchLater }))).toEqual([])
  const looks = await takeJobsToCheckPayment(stage.database, {
    holder: randomUUID(),
    limit: 9,
    nowMs: muchLater,
  })
  expect(looks.map(job => job.jobId)).toEqual([jobId])
})

test('of one host the job that expires first is sent first, and expired jobs come last', async () => {
  await insertAgent(stage.database)
  const atMs = Date.now() - 10 * MINUTE_MS
  const expired = await write({ endpoint: SLOW, maxDeadlineSeconds: 1, atMs })
  const long = await write({ endpoint: SLOW, maxDeadlineSeconds: 3_600, atMs })
  const short = await write({ endpoint: SLOW, maxDeadlineSeconds: 30 })
  const order: string[] = []
  for (let take = 0; take < 3; take++)
    for (const { jobId } of await takeJobsToSend(stage.database, taking({ limit: 1 }))) order.push(jobId)
  expect(order).toEqual([short, long, expired])
})

test('hosts with the fewest sends come first, and hosts at their limit are left out', async () => {
  await insertAgent(stage.database)
  for (const name of ['a', 'b', 'c']) await writeMany(3, { endpoint: `https://${name}.example` })
  const underWay = new Map([
    ['a.example', 3],
    ['b.example', 1],
  ])
  const taken = await takeJobsToSend(stage.database, taking({ perKey: 3, limit: 3, underWay }))
  expect(taken.map(({ endpoint }) => hostOf(endpoint)).toSorted()).toEqual([
    'b.example',
    'c.example',
    'c.example',
  ])
})

test('two workers never lease the same job, and the jobs of a dead worker become free', async () => {
  await insertAgent(stage.database)
  for (let host = 0; host < 10; host++) await writeMany(4, { endpoint: `https://host${host}.example` })
  const takes = await Promise.all([1, 2, 3, 4].map(() => takeJobsToSend(stage.database, taking({}))))
  const taken = takes.flat().map(({ jobId }) => jobId)
  expect([taken.length, new Set(taken).size]).toEqual([40, 40])
  const later = await takeJobsToSend(stage.database, taking({ nowMs: Date.now() + JOB_LEASE_MS + 1_000 }))
  expect(later).toHaveLength(40)
})

function taking(given: Partial<Parameters<typeof takeJobsToSend>[1]>): Parameters<typeof takeJobsToSend>[1] {
  const nowMs = Date.now()
  return { holder: randomUUID(), limit: 100, perKey: 16, underWay: new Map(), nowMs, ...given }
}
