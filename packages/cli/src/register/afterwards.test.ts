import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { call, view } from '@farebox/local/src/testing/registry-calls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { serveCountingNode, type CountingNode } from '../testing/counting-node.ts'
import { AGENT_WALLET, serveAgent, withBody, type ServedAgent } from '../testing/served-agent.ts'
import { serveStandIn, type StandInPlatform } from '../testing/stand-in-platform.ts'
import { createTestWorld, type TestWorldOptions } from '../testing/test-world.ts'

/** The checks on an agent's page. */
const HEALTHY = {
  availability: 'online',
  warned: false,
  consecutive_failures: 0,
  last_ok_at: 1_795_000_000,
  watched_since: 1_795_000_000,
  latency_p95_ms: 5,
  checked_at: 1_795_000_000,
  uptime_7d: 1,
  uptime_30d: 1,
  latency_p50_ms: 3,
  last_failure: null,
}

const KEY = TEST_KEYS.agent.privateKey

let chain: LocalChain
let node: CountingNode
let platform: StandInPlatform
let front: Server
let frontUrl: string
/** The answer of `GET /v1/agents/7`, because the stand-in has no pages of agents. */
let answers: Map<
  string,
  readonly [status: number, body: object, headers?: { readonly [name: string]: string }]
>
let agent: ServedAgent
let moved: ServedAgent
let folder: string
let agentId: number

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-afterwards-'))
  node = await serveCountingNode(chain.rpcUrl)
  platform = await serveStandIn(chain)
  platform.confirmingLooks = 0
  answers = new Map()
  await serveFront()
  agent = await serveAgent({ funded: [] })
  moved = await serveAgent({ funded: [] })
  const registered = await run(['register', '--endpoint', agent.url, '--wallet', '--rpc-url', node.url])
  expect(registered.code).toBe(0)
  agentId = Number(await view(chain, 'lastAgentId'))
  node.counts.clear()
})

afterEach(async () => {
  const closed = new Promise(resolve => front.close(resolve))
  front.closeAllConnections()
  await Promise.all([closed, node.close(), platform.close(), agent.close(), moved.close()])
  await rm(folder, { recursive: true, force: true })
})

async function serveFront(): Promise<void> {
  front = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = 'GET', url: path = '/' } = request
      const told = answers.get(`${method} ${path}`)
      if (told !== undefined) {
        response.writeHead(told[0], { 'content-type': 'application/json', ...told[2] })
        return response.end(JSON.stringify(told[1]))
      }
      const body = method === 'POST' ? { body: Buffer.concat(chunks).toString() } : {}
      fetch(platform.url + path, { method, ...body })
        .then(async answer => {
          response.writeHead(answer.status, { 'content-type': 'application/json' })
          response.end(await answer.text())
        })
        .catch(() => response.destroy())
    })
  })
  await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
  frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function run(words: readonly string[], options: Partial<TestWorldOptions> = {}): Promise<Ran> {
  const variables = { FAREBOX_PRIVATE_KEY: KEY, FAREBOX_PLATFORM: frontUrl }
  const { world, out, err } = createTestWorld({ folder, variables, ...options })
  const code = await runCli(words, world)
  return { code, out: out(), err: err() }
}

function update(...more: readonly string[]): readonly string[] {
  return ['register', 'update', String(agentId), '--endpoint', moved.url, '--rpc-url', node.url, ...more]
}

function deregister(): readonly string[] {
  return ['deregister', String(agentId), '--yes', '--rpc-url', node.url]
}

/** Ctrl-C at the moment at which the transaction is sent; the connection to the node is cut as well. */
async function stopped(words: readonly string[], when: 'before' | 'after'): Promise<Ran> {
  const stop = new AbortController()
  node.cut = method => {
    if (method !== 'eth_sendRawTransaction') return undefined
    stop.abort()
    return when
  }
  const ran = await run(words, { signal: stop.signal })
  node.cut = () => undefined
  return ran
}

/** The number of the wallet's transactions in blocks. */
async function transactions(): Promise<number> {
  const parameters = {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getTransactionCount',
    params: [AGENT_WALLET, 'latest'],
  }
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body: JSON.stringify(parameters) })
  return Number(((await answer.json()) as { result: string }).result)
}

async function pendingChanges(): Promise<readonly string[]> {
  const names = await readdir(join(folder, '.home', 'registrations'))
  return names.filter(name => name.endsWith('.change.json'))
}

/** The relevant parts of the agent's page, and extra fields of a newer platform. */
function page(changed: object): void {
  const known = { agent_id: agentId, endpoint: agent.url, standing: 'listed', standing_reason: null }
  const rest = { payable: true, notices: [], refreshed_at: null, health: null, mood: 'good' }
  answers.set(`GET /v1/agents/${agentId}`, [200, { ...known, ...rest, ...changed }])
}

function refusesLook(status: number, error_type: string, error: string, headers = {}): void {
  const body = { status: 'failed', error_type, error }
  answers.set(`POST /v1/agents/${agentId}/refresh`, [status, body, headers])
}

function look(changed: object): void {
  const found = { agent_id: agentId, standing: 'listed', standing_reason: null, payable: true }
  const rest = { last_read_at: 1_795_000_000, problem: null, changes: [] }
  answers.set(`POST /v1/agents/${agentId}/refresh`, [200, { ...found, ...rest, ...changed }])
}

describe('farebox register update', () => {
  test.each(['before', 'after'] as const)(
    'interrupted %s its transaction reached the node, the next run follows it and sends no second one',
    async when => {
      const before = await transactions()
      const { code, err } = await stopped(update(), when)
      expect(code).toBe(130)
      expect(err).toContain('✗ stopped\n  run the same command again: it continues where it stopped\n')
      expect(err).not.toContain('staked')
      expect(await pendingChanges()).toHaveLength(1)
      const again = await run(update())
      expect(again.code).toBe(0)
      expect(again.out).toContain(`✓ agent ${agentId} is reached there; `)
      expect(await view(chain, 'endpointOf', [agentId])).toBe(moved.url)
      expect(await transactions()).toBe(before + 1)
      expect(await pendingChanges()).toEqual([])
      const { out } = await run(['register', 'status'])
      expect(out).toContain(`agent ${agentId}   ${moved.url}   ${frontUrl}\n  listed: `)
    },
  )

  test('interrupted and completed later: status shows the agent at its new endpoint, and offers no second stake', async () => {
    await stopped(update(), 'after')
    page({ endpoint: moved.url })
    const { out } = await run(['register', 'status'])
    expect(out).toContain(`agent ${agentId}   ${moved.url}   ${frontUrl}\n  listed: `)
    expect(out).not.toContain('/register/')
    expect(await pendingChanges()).toEqual([])
    expect((await run(update())).out).toContain('is reached there already')
  })

  test('interrupted before it was sent: status says that it is pending, and how to continue', async () => {
    await stopped(update(), 'before')
    const { out } = await run(['register', 'status'])
    expect(out).toMatch(/\n {2}listed: .*\n {2}moving to .* by 0x[0-9a-f]{64}\n/)
    expect(out).toContain(`farebox register update ${agentId} --endpoint ${moved.url} follows it\n`)
  })

  test('repeated when it is done, it says so, whatever the platform says about the endpoint', async () => {
    expect((await run(update())).code).toBe(0)
    platform.refusal = { status: 409, error_type: 'conflict', error: 'endpoint: agent is listed with it' }
    const again = await run(update())
    expect(again).toMatchObject({
      code: 0,
      out: `✓ agent ${agentId} is reached there already: ${moved.url}\n`,
    })
    expect(JSON.parse((await run(update('--json'))).out)).toMatchObject({ ok: true, transaction: null })
    expect(node.counts.get('eth_sendRawTransaction')).toBe(1)
  })

  test('a missing wallet is reported before the agent is called', async () => {
    const { code, err } = await run(update('--wallet', 'nobody'))
    expect(code).toBe(1)
    expect(err).toContain('✗ there is no wallet "nobody"\n')
    expect(moved.seen).toEqual([])
  })

  test('a target agent that is paid at another wallet is refused with the setting to change', async () => {
    moved.lie = async (path, honest) =>
      path === '/about'
        ? withBody(honest, { ...((await honest.json()) as object), wallet: TEST_KEYS.payer.address })
        : honest
    const { code, err } = await run(update())
    expect(code).toBe(1)
    expect(err).toContain(`set AGENT_WALLET_ADDRESS there to ${AGENT_WALLET.toLowerCase()}`)
    expect(err).not.toMatch(/\bD\d/)
  })

  test('a deregistered agent is reported, with how to register again', async () => {
    await run(deregister())
    const { code, err } = await run(update())
    expect(code).toBe(1)
    expect(err).toContain(`✗ agent ${agentId} is deregistered, its stake was returned\n`)
  })
})

describe('farebox deregister', () => {
  test.each(['before', 'after'] as const)(
    'interrupted %s its transaction reached the node, the next run follows it and sends no second one',
    async when => {
      const before = await transactions()
      const { code, err } = await stopped(deregister(), when)
      expect(code).toBe(130)
      expect(err).not.toContain('staked')
      const again = await run(deregister())
      expect(again.out).toContain(`✓ agent ${agentId} is deregistered, `)
      expect(again.code).toBe(0)
      expect(await transactions()).toBe(before + 1)
      const { out } = await run(['register', 'status'])
      expect(out).toContain(
        `agent ${agentId}   ${agent.url}   ${frontUrl}\n  deregistered, its stake was returned\n`,
      )
    },
  )

  test('repeated when it is done, it says so; an unknown number is reported as such', async () => {
    await run(deregister())
    expect(await run(deregister())).toMatchObject({
      code: 0,
      out: `✓ agent ${agentId} is deregistered, its stake was returned\n`,
    })
    const never = await run(['deregister', '999999', '--yes', '--rpc-url', node.url])
    expect(never).toMatchObject({ code: 1, err: expect.stringContaining('✗ there is no agent 999999\n') })
  })

  test('is confirmed on a terminal, and elsewhere by --yes alone', async () => {
    const before = await transactions()
    const words = deregister().filter(word => word !== '--yes')
    const alone = await run(words)
    expect(alone.code).toBe(2)
    expect(alone.err).toContain(`farebox deregister ${agentId} --yes ends it without a question`)
    expect(await run(words, { answers: [false] })).toMatchObject({
      code: 1,
      err: expect.stringContaining('✗ not deregistered\n'),
    })
    expect(await transactions()).toBe(before)
    expect((await run(words, { answers: [true] })).code).toBe(0)
  })

  test('an update that was never sent is not sent before it', async () => {
    await stopped(update(), 'before')
    const { code, err } = await run(deregister())
    expect(code).toBe(0)
    expect(err).toMatch(/moving agent \d+ by 0x[0-9a-f]{64} failed; it is not sent again\n/)
    expect(await pendingChanges()).toEqual([])
  })
})

describe('farebox register status', () => {
  test('a stake returned elsewhere is reported and stored, and no second one is offered', async () => {
    await call(chain, AGENT_WALLET, 'deregister', [agentId])
    page({ standing: 'deregistered' })
    const line = `agent ${agentId}   ${agent.url}   ${frontUrl}\n  deregistered, its stake was returned\n`
    expect((await run(['register', 'status'])).out).toBe(line)
    answers.clear()
    expect((await run(['register', 'status'])).out).toBe(line)
  })

  test('an agent that was moved elsewhere is shown at its current endpoint', async () => {
    await call(chain, AGENT_WALLET, 'updateEndpoint', [agentId, moved.url])
    page({ endpoint: moved.url })
    const { out } = await run(['register', 'status'])
    expect(out).toContain(`agent ${agentId}   ${moved.url}   ${frontUrl}\n  listed: `)
  })

  test('an agent that answers no checks is listed and offline', async () => {
    page({ health: { ...HEALTHY, availability: 'offline' } })
    expect((await run(['register', 'status'])).out).toContain('\n  listed, offline: ')
    const { out } = await run(['register', 'status', '--json'])
    expect(JSON.parse(out)).toMatchObject({ registrations: [{ availability: 'offline' }] })
    page({ health: HEALTHY })
    expect((await run(['register', 'status'])).out).toContain('\n  listed: ')
  })

  test('the agent was checked a moment ago: shows what is known, and how old that is', async () => {
    refusesLook(429, 'rate_limited', 'this agent was looked at less than a minute ago', {
      'retry-after': '40',
    })
    page({})
    const { code, out } = await run(['register', 'status', String(agentId)])
    expect(code).toBe(0)
    expect(out).toContain('listing    listed\npaid jobs  are sent to it\n')
    expect(out).toMatch(/looked at {2}2[0-5] s ago; the platform looks once a minute at most\n/)
    const { out: json } = await run(['register', 'status', String(agentId), '--json'])
    expect(JSON.parse(json)).toMatchObject({ standing: 'listed', is_fresh: false, endpoint: agent.url })
  })

  test('the agent was found stopped a moment ago: still says so', async () => {
    refusesLook(429, 'rate_limited', 'this agent was looked at less than a minute ago')
    page({})
    const last = {
      agent_id: agentId,
      last_read_at: null,
      problem: 'about: cannot be reached',
      declarations: [],
    }
    answers.set(`GET /v1/agents/${agentId}/declarations?limit=1`, [200, last])
    const { code, out } = await run(['register', 'status', String(agentId)])
    expect(code).toBe(1)
    expect(out).toMatch(/^✗ agent \d+ cannot be reached at /)
  })

  test('the agent cannot be reached: says that first, and what to do', async () => {
    look({ problem: 'about: cannot be reached' })
    page({})
    const { code, out } = await run(['register', 'status', String(agentId)])
    expect(code).toBe(1)
    expect(out).toBe(
      `✗ agent ${agentId} cannot be reached at ${agent.url}\n` +
        '  is it running? farebox start starts it; then run the same command again in a minute\n\n' +
        `agent      ${agentId}\nlisting    listed\npaid jobs  fail until it answers again\n`,
    )
  })

  test('the agent cannot be reached: the list of all says the same, and ends with the same exit code', async () => {
    look({ problem: 'about: cannot be reached' })
    page({})
    const { code, out } = await run(['register', 'status'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /\n {2}listed: .*\n {2}✗ agent \d+ cannot be reached at .*\n {4}is it running\? farebox start starts it; /,
    )
    const { out: json } = await run(['register', 'status', '--json'])
    expect(JSON.parse(json)).toMatchObject({ registrations: [{ to_fix: 'about: cannot be reached' }] })
    look({})
    expect(await run(['register', 'status'])).toMatchObject({
      code: 0,
      out: expect.not.stringContaining('✗'),
    })
  })

  test('an agent that could not take its last payment is not paid, and the output says why', async () => {
    refusesLook(429, 'rate_limited', 'this agent was looked at less than a minute ago')
    const text = 'It could not take its last payment: it answered a paid order with 401.'
    page({ payable: false, notices: [{ kind: 'not-payable', text }] })
    const { out } = await run(['register', 'status', String(agentId)])
    expect(out).toContain(`paid jobs  are not sent to it: ${text}\n`)
  })

  test('the agent’s /about is broken: says how to fix it', async () => {
    look({
      standing: 'refused',
      standing_reason: 'about: is missing',
      problem: 'about: is missing',
      payable: false,
    })
    page({ standing: 'refused', endpoint: null })
    const { out } = await run(['register', 'status', String(agentId)])
    expect(out).toContain(
      `✗ agent ${agentId}: about: is missing\n  farebox check ${agent.url} shows how to fix it`,
    )
    expect(out).toContain('listing    refused\npaid jobs  are not sent to it\n')
  })

  test('the agent is deregistered: says so', async () => {
    refusesLook(404, 'not_found', `agent ${agentId} is not listed here`)
    page({ standing: 'deregistered', payable: false })
    const { code, out } = await run(['register', 'status', String(agentId)])
    expect(code).toBe(0)
    expect(out).toBe(`agent      ${agentId}\nlisting    deregistered, its stake was returned\n`)
    answers.delete(`GET /v1/agents/${agentId}`)
    expect((await run(['register', 'status', String(agentId)])).err).toContain('is not listed here')
    await run(deregister())
    expect((await run(['register', 'status', String(agentId)])).out).toBe(out)
  })

  test('asks the platform at which the agent was registered, also from another folder', async () => {
    look({})
    const home = join(folder, '.home')
    const elsewhere = await mkdtemp(join(tmpdir(), 'farebox-elsewhere-'))
    const words = ['register', 'status', String(agentId)]
    const { code, out } = await run(words, { folder: elsewhere, home, variables: {} })
    await rm(elsewhere, { recursive: true })
    expect(code).toBe(0)
    expect(out).toBe(`agent      ${agentId}\nlisting    listed\npaid jobs  are sent to it\n`)
  })
})
