import { setTimeout as delay } from 'node:timers/promises'
import { execute } from '@farebox/client/execute'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { until } from '@farebox/protocol/src/test-setup/until'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderUntilDone, signOrder, type ListedAgent } from './stage/order.ts'
import { transfersTo } from './stage/pay.ts'
import { hasHaproxy, startHaproxy, type Backend, type Balancer } from './stage/proxies/haproxy.ts'
import { setStage, type Stage } from './stage/stage.ts'

const isInstalled = hasHaproxy()
if (!isInstalled) console.log('HAProxy is not installed: rolling restarts are not tested')

/** Every fourth job is ordered through the platform, the others directly. */
const JOBS_A_SECOND = 20
const DRAIN = '1'
const WALLET = TEST_KEYS.agent.address

/** A server that is restarted at the same address. */
interface Part extends Backend {
  readonly name: string
  start(): Promise<{ readonly pid: number; readonly exited: Promise<unknown> }>
}

describe.runIf(isInstalled)('two instances of every server behind a load balancer', () => {
  let stage: Stage
  let balancer: Balancer<'agents' | 'facilitators' | 'platforms'>
  let parts: readonly Part[]

  beforeAll(async () => {
    stage = await setStage()
    const [agents, facilitators, platforms] = [await places(), await places(), await places()]
    balancer = await startHaproxy(stage.folder, {
      agents,
      facilitators: facilitators.map(({ port }) => ({ port, readyPort: port })),
      platforms: platforms.map(({ port }) => ({ port, readyPort: port })),
    })
    stage.onStrike(() => balancer.stop())
    let adminToken = ''
    let secret = ''
    const { urls } = balancer
    const ofFacilitators = facilitators.map((place, index) => ({
      ...place,
      name: `facilitator-${index}`,
      start: async () => {
        const environment = { FACILITATOR_PORT: String(place.port), DRAIN_SECONDS: DRAIN }
        const started = await stage.facilitator({ name: `facilitator-${index}`, environment })
        adminToken = started.adminToken
        secret ||= await stage.secret(started, [WALLET])
        return started
      },
    }))
    const ofAgents = agents.map((place, index) => ({
      ...place,
      name: `agent-${index}`,
      start: async () =>
        await stage.agent({
          config: 'e2e/agents/patient/agent.json',
          facilitator: { url: urls.facilitators },
          secret,
          name: `agent-${index}`,
          store: `lmdb:${stage.folder}/jobs`,
          port: place.port,
          environment: {
            SERVICE_PUBLIC_URL: urls.agents,
            SERVICE_METRICS_PORT: String(place.readyPort),
            SERVICE_DRAIN_SECONDS: DRAIN,
          },
        }),
    }))
    const ofPlatforms = platforms.map((place, index) => ({
      ...place,
      name: `platform-${index}`,
      start: async () =>
        await stage.platform({
          facilitator: { url: urls.facilitators, adminToken },
          name: `platform-${index}`,
          port: place.port,
          environment: { PLATFORM_PUBLIC_URL: urls.platforms, DRAIN_SECONDS: DRAIN },
        }),
    }))
    parts = [...ofFacilitators, ...ofAgents, ...ofPlatforms]
  })
  afterAll(() => stage.strike())

  test('D32 restarting each instance in turn fails no job', async () => {
    const running = new Map<Part, Awaited<ReturnType<Part['start']>>>()
    const start = async (part: Part): Promise<void> => {
      running.set(part, await part.start())
      await until(() => isReady(part))
    }
    for (const part of parts) await start(part)
    const { urls } = balancer
    const { agentId } = await registerAgent({ url: urls.platforms }, stage.chain, {
      url: urls.agents,
      wallet: WALLET,
    })
    const agent = { agentId, endpoint: urls.agents, wallet: WALLET }

    const over = new AbortController()
    const asking = askUntil(over.signal, agent)
    for (const part of parts) {
      const { pid, exited } = running.get(part) ?? {}
      if (pid !== undefined) process.kill(pid, 'SIGTERM')
      await exited
      await start(part)
    }
    over.abort()
    const ends = await Promise.all(await asking)

    expect(ends.filter(end => end !== 'completed')).toEqual([])
    expect(ends.length).toBeGreaterThan(parts.length)
    expect(await transfersTo(stage, WALLET)).toBe(ends.length)
  })

  async function askUntil(over: AbortSignal, agent: ListedAgent): Promise<readonly Promise<string>[]> {
    const jobs: Promise<string>[] = []
    for (let number = 0; !over.aborted; number += 1) {
      jobs.push(number % 4 === 0 ? orderJob(agent, number) : askForJob(agent.endpoint, number))
      await delay(1_000 / JOBS_A_SECOND)
    }
    return jobs
  }

  async function askForJob(url: string, number: number): Promise<string> {
    const signer = privateKeySigner(stage.crypto, TEST_KEYS.payer.privateKey)
    return await execute(url, 'count', { text: `job ${number}` }, { signer, crypto: stage.crypto }).then(
      () => 'completed',
      (error: unknown) => String(error),
    )
  }

  async function orderJob(agent: ListedAgent, number: number): Promise<string> {
    const order = await signOrder(stage, agent, {
      capability: 'count',
      price: '0.002',
      input: { text: `job ${number}` },
      payerKey: TEST_KEYS.secondPayer.privateKey,
    })
    const { status, error } = await orderUntilDone(balancer.urls.platforms, order)
    return status === 'completed' ? status : `${status}: ${error ?? ''}`
  }
})

async function places(): Promise<readonly Backend[]> {
  return [
    { port: await findFreePort(), readyPort: await findFreePort() },
    { port: await findFreePort(), readyPort: await findFreePort() },
  ]
}

async function isReady({ port, readyPort, name }: Part): Promise<boolean> {
  const at = name.startsWith('agent') ? readyPort : port
  return await fetch(`http://127.0.0.1:${at}/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}
