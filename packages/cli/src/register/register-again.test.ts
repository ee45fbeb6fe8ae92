import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { view } from '@farebox/local/src/testing/registry-calls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { serveAgent, type ServedAgent } from '../testing/served-agent.ts'
import { serveStandIn, type StandInPlatform } from '../testing/stand-in-platform.ts'
import { createTestWorld } from '../testing/test-world.ts'

const REASON = 'health: cannot be reached'

let chain: LocalChain
let platform: StandInPlatform
let front: Server
let url: string
let agent: ServedAgent
let folder: string
/** The inspections of agents requested from the platform. */
let looks: string[]
let look: (agentId: number) => readonly [status: number, body: object]

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-register-again-'))
  platform = await serveStandIn(chain)
  agent = await serveAgent({ funded: [] })
  looks = []
  front = createServer((asked, response) => {
    const [, agentId] = /^\/v1\/agents\/(\d+)\/refresh$/.exec(asked.url ?? '') ?? []
    if (agentId === undefined) {
      const { method, headers } = asked
      const passed = request(platform.url + asked.url, { method, headers }, answer => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      asked.pipe(passed)
      return
    }
    looks.push(`${asked.method} ${agentId}`)
    const [status, body] = look(Number(agentId))
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
})

afterEach(async () => {
  front.closeAllConnections()
  front.close()
  await Promise.all([platform.close(), agent.close()])
  await rm(folder, { recursive: true, force: true })
})

async function run(): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const variables = { FAREBOX_PRIVATE_KEY: TEST_KEYS.agent.privateKey, FAREBOX_PLATFORM: url }
  const { world, out, err } = createTestWorld({ folder, variables })
  const words = ['register', '--endpoint', agent.url, '--wallet', '--rpc-url', chain.rpcUrl]
  const code = await runCli(words, world)
  return { code, out: out(), err: err() }
}

const listed = (agentId: number): object => ({
  agent_id: agentId,
  standing: 'listed',
  standing_reason: null,
  payable: true,
  last_read_at: 1_795_000_000,
  problem: null,
  changes: [],
})

/**
 * Staked for, refused for so long that the platform no longer inspects it by itself, and refused until `isRecovered`.
 */
async function stakeRefused(isRecovered: () => boolean): Promise<number> {
  expect((await run()).code).toBe(0)
  const agentId = Number(await view(chain, 'lastAgentId'))
  const status = { state: 'refused', agent_id: agentId, reason: REASON, retried: false }
  platform.lie = (path, honest) =>
    path.startsWith('/v1/registrations/') && !isRecovered() ? { ...honest, status } : honest
  look = () => [200, listed(agentId)]
  return agentId
}

describe('farebox register, repeated after the stake was refused', () => {
  test('makes the platform check again, and lists the agent when it was fixed', async () => {
    const agentId = await stakeRefused(() => looks.length > 0)
    const { code, out } = await run()
    expect(looks).toEqual([`POST ${agentId}`])
    expect(out).toContain(`agent    ${agentId}\n`)
    expect(code).toBe(0)
    expect(Number(await view(chain, 'lastAgentId'))).toBe(agentId)
  })

  test('shows the reason of that check when it was not fixed, and how to continue', async () => {
    const agentId = await stakeRefused(() => false)
    look = () => [200, { ...listed(agentId), standing: 'refused', standing_reason: REASON, payable: false }]
    const { code, err } = await run()
    expect(code).toBe(1)
    expect(looks).toHaveLength(1)
    expect(err).toContain(`agent ${agentId} is staked and not listed: ${REASON}`)
    expect(err).toContain('fix it and run the same command again: farebox register --endpoint')
  })

  test.each([
    [404, 'not_found'],
    [409, 'conflict'],
  ])('shows the text of the registration if it cannot be checked again (%i)', async (status, type) => {
    await stakeRefused(() => false)
    look = () => [status, { status: 'failed', error_type: type, error: 'agent is not listed here' }]
    const { code, err } = await run()
    expect(code).toBe(1)
    expect(err).toContain(`is staked and not listed: ${REASON}`)
  })

  test('says when to repeat when the platform checked a moment ago', async () => {
    await stakeRefused(() => false)
    const error = 'this agent was looked at less than a minute ago'
    look = () => [429, { status: 'failed', error_type: 'rate_limited', error }]
    const { code, err } = await run()
    expect(code).toBe(1)
    expect(err).toContain(`✗ ${error}\n  run the same command again in a minute`)
  })

  test('requests no check while the platform checks again by itself', async () => {
    const agentId = await stakeRefused(() => true)
    platform.seen.length = 0
    const status = { state: 'refused', agent_id: agentId, reason: REASON, retried: true }
    platform.lie = (path, honest) =>
      path.startsWith('/v1/registrations/') && platform.seen.length < 4 ? { ...honest, status } : honest
    const { code, err } = await run()
    expect(err).toContain(`looked at again soon: ${REASON}`)
    expect(code).toBe(0)
    expect(looks).toEqual([])
  })
})
