import { setTimeout as delay } from 'node:timers/promises'
import { until } from '@farebox/protocol/src/test-setup/until'
import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import type { PlatformProcess } from '@farebox/local/src/start-platform-process'
import { verifyReceipt } from '@farebox/platform-api/receipt'
import { keySet } from '@farebox/platform-api/receipt-keys'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orderUntilDone, signOrder, type ListedAgent } from './stage/order.ts'
import { transfersTo } from './stage/pay.ts'
import { setStage, type Stage } from './stage/stage.ts'

/** A job that waits for a restarting platform is late for most agents, and rightly fails. */
const CONFIG = 'e2e/agents/patient/agent.json'
const JOBS = 60
const AT_A_TIME = 6
const KILLS = 8

let stage: Stage
let facilitator: FacilitatorProcess
let port: number

beforeAll(async () => {
  stage = await setStage()
  facilitator = await stage.facilitator()
  port = await findFreePort()
})
afterAll(() => stage.strike())

test('the platform killed at random under load: no job, registration or payment is lost', async () => {
  const platform = { current: await startPlatform() }
  const { url } = platform.current
  const agent = await listAgent(url, TEST_KEYS.agent.address)
  const orders = await Promise.all(
    Array.from({ length: JOBS }, (_, index) =>
      signOrder(stage, agent, {
        capability: 'count',
        price: '0.002',
        input: { text: `job ${index} of many` },
      }),
    ),
  )

  const killing = killAgainAndAgain(platform)
  const late = untilListed(url)
  const jobs = await inTurns(orders, order => orderUntilDone(url, order))
  const other = await late
  await killing

  expect(jobs.filter(({ status }) => status !== 'completed')).toEqual([])
  expect(jobs.map(({ output }) => output?.['words'])).toEqual(Array<number>(JOBS).fill(4))
  for (const { payment } of jobs) expect(payment.transaction).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await transfersTo(stage, TEST_KEYS.agent.address)).toBe(JOBS)
  expect(other.agentId).toBe(2)
  expect(await lastAgentId()).toBe(2n)
  const keys = keySet.parse(await (await fetch(`${url}/.well-known/jwks.json`)).json())
  for (const { receipt } of jobs) expect(await verifyReceipt(receipt ?? '', keys)).toMatchObject({ ok: true })
})

function startPlatform(): Promise<PlatformProcess> {
  return stage.platform({ facilitator, port })
}

async function listAgent(platformUrl: string, wallet: string): Promise<ListedAgent> {
  const secret = await stage.secret(facilitator, [wallet])
  const served = await stage.agent({
    config: CONFIG,
    facilitator,
    secret,
    wallet,
    name: `listed-${wallet.slice(2, 8)}`,
    store: 'memory:',
  })
  const { agentId } = await registerAgent({ url: platformUrl }, stage.chain, { url: served.url, wallet })
  return { agentId, endpoint: served.url, wallet }
}

/** The number of stakes: a second stake for one agent would be visible here. */
async function lastAgentId(): Promise<bigint> {
  const client = createPublicClient({ transport: http(stage.chain.rpcUrl) })
  const address = stage.chain.agentRegistry
  return await client.readContract({ address, abi: agentRegistryAbi, functionName: 'lastAgentId' })
}

/** Registers another agent while the platform restarts: a caller that repeats is not asked to stake again. */
async function untilListed(platformUrl: string): Promise<ListedAgent> {
  const wallet = TEST_KEYS.secondAgent.address
  const secret = await stage.secret(facilitator, [wallet])
  const { url } = await stage.agent({
    config: CONFIG,
    facilitator,
    secret,
    wallet,
    name: 'listed-late',
    store: 'memory:',
  })
  const { agentId } = await until(
    () => registerAgent({ url: platformUrl }, stage.chain, { url, wallet }).catch(() => undefined),
    100,
  )
  return { agentId, endpoint: url, wallet }
}

async function killAgainAndAgain(platform: { current: PlatformProcess }): Promise<void> {
  for (let kills = 0; kills < KILLS; kills += 1) {
    await delay(200 + Math.random() * 800)
    process.kill(platform.current.pid, 'SIGKILL')
    await platform.current.exited
    platform.current = await startPlatform()
  }
}

async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, worker))
  return results
}
