import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { LocalAgentProcess } from '@farebox/local/src/start-agent-process'
import type { FacilitatorProcess } from '@farebox/local/src/start-facilitator-process'
import type { PlatformProcess } from '@farebox/local/src/start-platform-process'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { orderUntilDone, signOrder } from './stage/order.ts'
import { startCli, type CliRun } from './stage/run-cli.ts'
import { setStage, type Stage } from './stage/stage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
// Inside e2e, so that the new agent finds the runtime as a user's project would.
const folder = join(root, 'e2e', '.walk')
const OWNER = TEST_KEYS.agent

let stage: Stage
let facilitator: FacilitatorProcess
let platform: PlatformProcess
let agent: LocalAgentProcess
let agentId: number

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  stage = await setStage()
  facilitator = await stage.facilitator()
  platform = await stage.platform({ facilitator, environment: { PLATFORM_CHECK_SECONDS: '1' } })
})
afterAll(async () => {
  await stage.strike()
  await rm(folder, { recursive: true, force: true })
})

/** `farebox …`, as the owner of the agent types it. */
async function farebox(...words: readonly string[]): Promise<CliRun> {
  const environment = {
    HOME: join(folder, 'home'),
    FAREBOX_PLATFORM: platform.url,
    FAREBOX_PRIVATE_KEY: OWNER.privateKey,
    FAREBOX_RPC_URL: stage.chain.rpcUrl,
  }
  return await startCli(words, { folder, environment }).ended
}

async function startAgent(name: string, port: number): Promise<LocalAgentProcess> {
  const secret = await stage.secret(facilitator, [OWNER.address])
  const config = relative(root, join(folder, 'my-agent', 'agent.json'))
  return await stage.agent({
    config,
    facilitator,
    secret,
    name,
    store: 'memory:',
    port,
    wallet: OWNER.address,
  })
}

interface Body {
  readonly [name: string]: unknown
}

async function ask(path: string): Promise<{ readonly status: number; readonly body: Body }> {
  const answer = await fetch(`${platform.url}${path}`)
  return { status: answer.status, body: (await answer.json()) as Body }
}

/** Repeats until the answer is as expected. */
async function answers(path: string, wanted: object): Promise<void> {
  await expect.poll(async () => (await ask(path)).body).toMatchObject(wanted)
}

test('D36 a new agent is created, registered with a stake, and found; a repeat stakes nothing', async () => {
  expect(await farebox('init', 'my-agent', '--yes')).toMatchObject({ code: 0 })
  agent = await startAgent('listed', 0)
  const before = await etherOf(OWNER.address)
  const registered = await farebox('register', '--endpoint', agent.url, '--wallet', '--json')
  expect(registered, registered.err).toMatchObject({ code: 0 })
  expect(JSON.parse(registered.out)).toMatchObject({ agent_id: 1 })
  agentId = 1
  const stakedWei = before - (await etherOf(OWNER.address))
  expect(stakedWei).toBeGreaterThanOrEqual(10n ** 15n)
  expect(await farebox('register', '--endpoint', agent.url, '--wallet', '--json')).toMatchObject({ code: 0 })
  expect(before - (await etherOf(OWNER.address))).toBe(stakedWei)

  for (const query of ['q=agent', 'q=longst', 'capability=count', 'takes=string:text', 'max_price=0.001'])
    expect((await ask(`/v1/agents?${query}`)).body['agents'], query).toMatchObject([{ agent_id: 1 }])
  expect((await ask('/v1/agents?q=translation')).body['agents']).toEqual([])
  expect((await ask('/v1/agents/1')).body).toMatchObject({ agent_id: 1, name: 'My agent' })
  expect((await ask('/v1/agents/1/openapi.json')).body).toMatchObject({ openapi: '3.1.0' })
})

async function etherOf(address: string): Promise<bigint> {
  const rpc = createJsonRpc(stage.chain.rpcUrl)
  try {
    return BigInt(String(await rpc.call('eth_getBalance', [address, 'latest'])))
  } finally {
    await rpc.close()
  }
}

test('a job through the platform is delivered and charged once, and its receipt is verified offline', async () => {
  const quoted = await fetch(`${platform.url}/v1/quotes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_id: agentId, capability: 'count' }),
  })
  expect(await quoted.json()).toMatchObject({ amount: '0.001', pay_to: OWNER.address.toLowerCase() })
  const order = await signOrder(
    stage,
    { agentId, endpoint: agent.url, wallet: OWNER.address },
    { capability: 'count', price: '0.001', input: { text: 'Exact fare, please.' } },
  )
  const done = await orderUntilDone(platform.url, order)
  expect(done).toMatchObject({ status: 'completed', charged: true, output: { words: 3 } })
  const jwks = await (await fetch(`${platform.url}/.well-known/jwks.json`)).text()
  await writeFile(join(folder, 'jwks.json'), jwks)
  await writeFile(join(folder, 'receipt.jws'), done.receipt ?? '')
  await writeFile(join(folder, 'output.json'), JSON.stringify(done.output))
  const words = ['verify-receipt', 'receipt.jws', '--keys', 'jwks.json', '--output', 'output.json']
  expect(await farebox(...words)).toMatchObject({ code: 0, out: expect.stringContaining('valid, signed by') })
  await writeFile(join(folder, 'output.json'), JSON.stringify({ ...done.output, words: 4 }))
  expect(await farebox(...words)).toMatchObject({ code: 1 })
})

test('the order example works as docs/local-economy.md says', async () => {
  const example = join(root, 'examples', 'platform-order', 'order.ts')
  const words = ['--import', 'tsx', '--conditions=@farebox/source', example, platform.url, String(agentId)]
  const { stdout } = await promisify(execFile)(process.execPath, [...words, 'count', '{"text":"one two"}'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PAYER_KEY: TEST_KEYS.payer.privateKey },
  })
  expect(JSON.parse(stdout)).toMatchObject({ words: 2 })
  expect(await farebox('verify-receipt', 'receipt.jws', '--keys', 'jwks.json')).toMatchObject({ code: 0 })
})

test('D33 a stopped agent is marked as failing after three failures, hidden after five, and listed again after one success', async () => {
  await answers(`/v1/agents/${agentId}/health`, { availability: 'online', consecutive_failures: 0 })
  const { port } = new URL(agent.url)
  await agent.stop()
  await answers(`/v1/agents/${agentId}/health`, {
    availability: 'online',
    warned: true,
    consecutive_failures: 3,
  })
  await answers(`/v1/agents/${agentId}/health`, { availability: 'offline' })
  expect((await ask('/v1/agents?q=agent')).body['agents']).toEqual([])
  agent = await startAgent('listed-again', Number(port))
  await answers(`/v1/agents/${agentId}/health`, { availability: 'online', consecutive_failures: 0 })
  expect((await ask('/v1/agents?q=agent')).body['agents']).toMatchObject([{ agent_id: agentId }])
})

test('D34 an agent’s badge is shown with the figures that it is computed from', async () => {
  await answers(`/v1/agents/${agentId}/badge`, { badge: 'verified' })
})

test('a deregistered agent is no longer found, and its stake is returned', async () => {
  const before = await etherOf(OWNER.address)
  const left = await farebox('deregister', String(agentId), '--wallet', '--yes', '--json')
  expect(left, left.err + left.out).toMatchObject({ code: 0 })
  expect(await etherOf(OWNER.address)).toBeGreaterThan(before)
  await expect.poll(async () => (await ask('/v1/agents?q=agent')).body['agents']).toEqual([])
})
