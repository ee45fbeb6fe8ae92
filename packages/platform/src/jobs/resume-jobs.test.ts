import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { fund } from '@farebox/local/chain/faucet'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { launch } from '@farebox/local/src/testing/launch'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Background } from '../work/loop.ts'
import { honestly, startChainAgent, type ChainAgent } from '../test-setup/network/chain-agent.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { orderingOf, signOrder } from '../test-setup/runs/job-orders.ts'
import { stagePlatform, TEST_PAYMENT_KEY, type Stage } from '../test-setup/stage-platform.ts'
import { JOB_LEASE_MS } from './records/job-leases.ts'
import type { JobRow } from './records/job-row.ts'
import { readJob } from './records/job-store.ts'
import { orderJob } from './order/order-job.ts'
import { startJobs } from './drive/start-jobs.ts'

const AGENT = TEST_KEYS.agent.address.toLowerCase()

let chain: LocalChain
let stage: Stage
let agent: ChainAgent
let survivor: Background | undefined

beforeAll(async () => {
  chain = await startChain()
  await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: 1_000_000_000n })
})
afterAll(async () => {
  await chain.stop()
})

beforeEach(async () => {
  survivor = undefined
  stage = await stagePlatform({ realTime: true, rpc: createJsonRpc(chain.rpcUrl) })
  agent = await startChainAgent(chain)
  await insertAgent(stage.database, { endpoint: agent.url, wallet: AGENT, declaration: agent.declaration })
})
afterEach(async () => {
  await survivor?.stop()
  await agent.close()
  await stage.close()
})

interface Worker {
  readonly pid: number
  readonly exited: Promise<unknown>
}

/** Starts a separate process that drives jobs, which the test kills. */
async function startWorker(rpcUrl = chain.rpcUrl): Promise<Worker> {
  const options = { connectionString: stage.connectionString, connections: 4 }
  return await launch(`
    import { startJobs } from '@farebox/platform/src/jobs/drive/start-jobs'
    import { createOutbound } from '@farebox/platform/outbound/outbound'
    import { openStorage } from '@farebox/platform/storage/open-storage'
    import { createChecker } from '@farebox/platform/checking/checker'
    import { createDueWork } from '@farebox/platform/src/work/due-work'
    import { createPaymentSeal } from '@farebox/platform/sealing/payment-seal'
    import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
    import { systemClock } from '@farebox/protocol/time/clock'
    import { silentLog } from '@farebox/server/log'
    const database = await openStorage(${JSON.stringify(options)})
    const outbound = createOutbound({ localMode: true })
    const rpc = createJsonRpc(${JSON.stringify(rpcUrl)})
    const settings = { facilitator: undefined }
    const checker = createChecker({ clock: systemClock })
    const seal = createPaymentSeal(${JSON.stringify(TEST_PAYMENT_KEY)})
    startJobs({ database, outbound, rpc, checker, seal, due: createDueWork(systemClock), clock: systemClock, log: silentLog, settings }, { pollMs: 20 })
    console.log('{}')`)
}

async function kill(worker: Worker): Promise<void> {
  process.kill(worker.pid, 'SIGKILL')
  await worker.exited
}

/** Starts a worker with a clock ahead by a lease, so that the leases of killed workers are over. */
function survive(): void {
  const { clock } = stage.parts
  const later = { ...clock, nowMs: () => clock.nowMs() + JOB_LEASE_MS + 1_000 }
  survivor = startJobs({ ...stage.parts, clock: later }, { pollMs: 20 })
}

async function order(): Promise<string> {
  const signed = await signOrder(stage.parts, { endpoint: agent.url })
  const { job } = await orderJob(stage.parts, orderingOf(stage.parts), signed)
  return job.jobId
}

async function jobUntil(jobId: string, holds: (job: JobRow) => boolean): Promise<JobRow> {
  return await until(async () => {
    const job = await readJob(stage.database, jobId)
    return job !== undefined && holds(job) ? job : undefined
  })
}

async function expectDone(jobId: string): Promise<void> {
  const job = await jobUntil(jobId, ({ nextDueAtMs }) => nextDueAtMs === undefined)
  expect(job).toMatchObject({
    state: 'completed',
    answer: 'completed',
    payment: 'paid',
    chargedWithoutDelivery: false,
  })
  const sent = agent.seen.filter(one => one.jobId === jobId)
  expect(new Set(sent.map(({ body, header }) => body + header)).size, 'only ever the same bytes').toBe(1)
}

test('killed before it was sent: the stored job is sent', async () => {
  const jobId = await order()
  survive()
  await expectDone(jobId)
  expect(agent.seen).toHaveLength(1)
})

test('killed while the agent works: the same bytes are sent again', async () => {
  const worker = await startWorker()
  agent.behave = async call => {
    if (call.repeats > 0) return await honestly(call)
    await kill(worker)
    survive()
    return 'reset'
  }
  await expectDone(await order())
  expect(agent.seen).toHaveLength(2)
})

test('killed after the agent charged, before its answer came: asked again, and paid once', async () => {
  const worker = await startWorker()
  agent.behave = async call => {
    const transaction = await call.settle()
    if (call.repeats > 0) return call.complete(transaction)
    await kill(worker)
    survive()
    return call.complete(transaction)
  }
  await expectDone(await order())
})

test('killed after the answer was stored, before its payment was proven: the payment is proven', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await until(() => silent.listening)
  const worker = await startWorker(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
  const jobId = await order()
  expect(await jobUntil(jobId, ({ answer }) => answer === 'completed')).toMatchObject({
    state: 'pending',
    payment: 'open',
  })
  await kill(worker)
  silent.closeAllConnections()
  silent.close()
  survive()
  await expectDone(jobId)
  expect(agent.seen).toHaveLength(1)
})

test('killed repeatedly under load: no job is lost, and none is paid twice', async () => {
  const jobIds: string[] = []
  for (let round = 0; round < 3; round += 1) {
    const worker = await startWorker()
    jobIds.push(...(await Promise.all(Array.from({ length: 8 }, order))))
    const soFar = agent.seen.length
    await until(() => agent.seen.length > soFar + round)
    await kill(worker)
  }
  survive()
  for (const jobId of jobIds) await expectDone(jobId)
  expect(jobIds).toHaveLength(24)
})
