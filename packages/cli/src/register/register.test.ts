import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { balanceOf, register, view } from '@farebox/local/src/testing/registry-calls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { runRegister } from './run-register.ts'
import { serveCountingNode, type CountingNode } from '../testing/counting-node.ts'
import { AGENT_WALLET, COUNTER, serveAgent, withBody, type ServedAgent } from '../testing/served-agent.ts'
import { serveStandIn, type StandInPlatform } from '../testing/stand-in-platform.ts'
import { createTestWorld, type TestWorldOptions } from '../testing/test-world.ts'

const KEY = TEST_KEYS.agent.privateKey

let chain: LocalChain
let node: CountingNode
let platform: StandInPlatform
let agent: ServedAgent
let folder: string
let stakesBefore: bigint

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-register-'))
  node = await serveCountingNode(chain.rpcUrl)
  platform = await serveStandIn(chain)
  agent = await serveAgent({ funded: [] })
  stakesBefore = await balanceOf(chain, chain.agentRegistry)
})

afterEach(async () => {
  await Promise.all([node.close(), platform.close(), agent.close()])
  await rm(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function run(words: readonly string[], options: Partial<TestWorldOptions> = {}): Promise<Ran> {
  const variables = { FAREBOX_PRIVATE_KEY: KEY, FAREBOX_PLATFORM: platform.url }
  const { world, out, err, everything } = createTestWorld({ folder, variables, ...options })
  const code = await runCli(words, world)
  expect(everything()).not.toContain(KEY.slice(2))
  return { code, out: out(), err: err() }
}

function withKey(...more: readonly string[]): readonly string[] {
  return ['register', '--endpoint', agent.url, '--wallet', '--rpc-url', node.url, ...more]
}

/** The number of stakes that the registry received since the test began. */
async function stakes(): Promise<number> {
  return Number(((await balanceOf(chain, chain.agentRegistry)) - stakesBefore) / STAKE_WEI)
}

async function lastAgentId(): Promise<number> {
  return Number(await view(chain, 'lastAgentId'))
}

async function journalled(ending: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, '.home', 'registrations')).catch(() => [])
  return names.filter(name => name.endsWith(ending))
}

/** Ctrl-C at the moment at which the stake is sent; the connection to the node is cut as well. */
function stopAtStake(when: 'before' | 'after'): AbortSignal {
  const stopped = new AbortController()
  node.cut = method => {
    if (method !== 'eth_sendRawTransaction') return undefined
    stopped.abort()
    return when
  }
  return stopped.signal
}

describe('farebox register --wallet', () => {
  test('D36 checks the agent, stakes once, waits, and shows the number and the profile page', async () => {
    const { code, out, err } = await run(withKey())
    expect(err).toMatch(
      /^Counter {3}http:\/\/127\.0\.0\.1:\d+\n {2}✓ GET \/health {3}version 1\.0, status ok\n/m,
    )
    expect(err).toContain('✓ GET /about    count 0.002 USDC\n')
    expect(err).toContain('✓ rules         75 checks passed\n')
    expect(err).toMatch(/stake {5}0\.001 ETH on .*\(eip155:84532\)\n/)
    expect(err).toContain(`from      ${AGENT_WALLET}  FAREBOX_PRIVATE_KEY\n`)
    expect(err).toMatch(/✓ staked {4}0x[0-9a-f]{64} in block \d+\n/)
    expect(err).toContain('✓ listed\n')
    const agentId = await lastAgentId()
    expect(out).toBe(`agent    ${agentId}\nprofile  ${platform.url}/agents/${agentId}\n`)
    expect(code).toBe(0)
    expect(await view(chain, 'endpointOf', [agentId])).toBe(agent.url)
    expect(await view(chain, 'ownerOf', [agentId])).toBe(AGENT_WALLET)
    expect(await stakes()).toBe(1)
  })

  test('an agent that moves its callers’ tokens is shown the settings it needs, any other agent is not', async () => {
    const spends = {
      type: 'EXECUTE_TRANSACTIONS',
      reason: 'Pays.',
      token: 'USDC',
      max_per_transaction: '2',
    } as const
    expect((await run(withKey())).err).not.toContain('AGENT_ID')
    await agent.close()
    const { count } = COUNTER.capabilities
    const declaration = { ...COUNTER, capabilities: { count: { ...count, permissions: [spends] } } }
    agent = await serveAgent({ funded: [], declaration })
    const { code, err } = await run(withKey())
    expect(err).toContain(
      `count moves tokens of its callers: set these and restart the agent\n    AGENT_ID=${await lastAgentId()}\n    SPENDER_PRIVATE_KEY=`,
    )
    expect(code).toBe(0)
  })

  test('--json is one document', async () => {
    const { code, out } = await run(withKey('--json'))
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      ok: true,
      agent_id: await lastAgentId(),
      profile_url: `${platform.url}/agents/${await lastAgentId()}`,
      provisional: false,
      endpoint: agent.url,
      platform: platform.url,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
  })

  test('REG-06 finds the agent listed when it is repeated, and stakes nothing', async () => {
    const first = await run(withKey())
    const again = await run(withKey())
    expect(again.code).toBe(0)
    expect(again.out).toBe(first.out)
    expect(await stakes()).toBe(1)
    expect(node.counts.get('eth_sendRawTransaction')).toBe(1)
  })

  test.each(['before', 'after'] as const)(
    'REG-06 interrupted %s the stake reached the node, the next run sends the same bytes',
    async when => {
      const stopped = await run(withKey(), { signal: stopAtStake(when) })
      expect(stopped.code).toBe(130)
      expect(stopped.err).toContain('it continues where it stopped, and nothing is staked twice')
      expect(await journalled('.stake.json')).toHaveLength(1)
      node.cut = () => undefined
      const { code, err } = await run(['register', '--endpoint', agent.url, '--rpc-url', node.url])
      expect(err).not.toContain('GET /health')
      expect(code).toBe(0)
      expect(await stakes()).toBe(1)
    },
  )

  test('REG-06 two concurrent commands stake once', async () => {
    const both = await Promise.all([run(withKey()), run(withKey())])
    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 1]))
    expect(both.map(({ err }) => err).join('')).toContain('another command is registering the same agent now')
    expect(await stakes()).toBe(1)
  })

  test('REG-06 another machine finds the stake of this wallet on the chain', async () => {
    await register(chain, AGENT_WALLET, agent.url)
    platform.lie = (path, honest) =>
      path === '/v1/registrations' ? { ...honest, status: { state: 'waiting_for_stake' } } : honest
    const { code } = await run(withKey())
    expect(code).toBe(0)
    expect(await stakes()).toBe(1)
    expect(node.counts.get('eth_sendRawTransaction')).toBeUndefined()
  })

  test('a stake whose nonce another transaction used is void, and the next run signs another', async () => {
    await run(withKey(), { signal: stopAtStake('before') })
    expect(await journalled('.stake.json')).toHaveLength(1)
    node.cut = () => undefined
    await register(chain, AGENT_WALLET, 'https://elsewhere.example')
    const { code, err } = await run(withKey())
    expect(err).toContain('the stake signed earlier is void')
    expect(code).toBe(0)
    expect(await stakes()).toBe(2)
  })

  test('D36 a wallet other than that of /about is refused, and nothing is sent', async () => {
    const variables = { FAREBOX_PRIVATE_KEY: TEST_KEYS.payer.privateKey, FAREBOX_PLATFORM: platform.url }
    const { code, err } = await run(withKey(), { variables })
    expect(code).toBe(1)
    expect(err).toContain('only the wallet of /about can stake')
    expect(err).toContain('--wallet <name>')
    expect(await stakes()).toBe(0)
  })

  test('asks the person, and sends nothing if the answer is no', async () => {
    const { code, err } = await run(withKey(), { answers: [false] })
    expect(code).toBe(1)
    expect(err).toContain('✗ not staked\n  nothing was sent\n')
    expect(await stakes()).toBe(0)
    expect(await journalled('.stake.json')).toEqual([])
  })

  test('names the setting to use when no node is known', async () => {
    const { code, err } = await run(['register', '--endpoint', agent.url, '--wallet'])
    expect(code).toBe(1)
    expect(err).toContain('give --rpc-url <url>, or set FAREBOX_RPC_URL')
  })
})

describe('farebox register in the browser', () => {
  test('opens the registration page, waits for the stake, and prints the number', async () => {
    const pages: string[] = []
    const browser = (url: string): void => {
      pages.push(url)
      void register(chain, AGENT_WALLET, agent.url)
    }
    const { code, out, err } = await run(['register', '--endpoint', agent.url], { browser })
    expect(code).toBe(0)
    expect(pages).toHaveLength(1)
    expect(err).toContain(`\n  ${pages[0]}\n`)
    expect(err).toContain('waiting for the stake')
    expect(out).toContain(`agent    ${await lastAgentId()}\n`)
    expect(await stakes()).toBe(1)
  })

  test('--no-browser opens nothing and prints the page; Ctrl-C prints how to continue', async () => {
    const pages: string[] = []
    const stopped = new AbortController()
    platform.lie = (path, honest) => {
      if (path.startsWith('/v1/registrations/')) stopped.abort()
      return honest
    }
    const { code, err } = await run(['register', '--endpoint', agent.url, '--no-browser'], {
      browser: url => pages.push(url),
      signal: stopped.signal,
    })
    expect(pages).toEqual([])
    expect(err).toContain(`${platform.url}/register/`)
    expect(code).toBe(130)
    expect(err).toContain('it continues where it stopped, and nothing is staked twice')
  })

  test('reports a stake of another wallet, which does not count', async () => {
    await register(chain, TEST_KEYS.payer.address, agent.url)
    const foreign = await lastAgentId()
    const { code, out, err } = await run(['register', '--endpoint', agent.url], {
      browser: () => void register(chain, AGENT_WALLET, agent.url),
    })
    expect(code).toBe(0)
    expect(err).toContain(`staked as agent ${foreign}, which does not count: it is not the wallet of /about`)
    expect(err).toContain(`farebox deregister ${foreign}`)
    expect(out).toContain(`agent    ${foreign + 1}\n`)
  })
})

describe('refusals before anything is staked', () => {
  const refusals: readonly (readonly [
    what: string,
    prepare: () => Promise<string> | string,
    message: string,
  ])[] = [
    ['no URL', () => 'agent.example', 'with its scheme: https://agent.example'],
    ['http beyond this machine', () => 'http://93.184.216.34', 'an agent is registered by its https URL'],
    ['credentials', () => 'https://me:secret@agent.example', 'must not carry credentials'],
    ['a private address', () => 'https://10.1.2.3', '10.1.2.3 is an address, not a name'],
    [
      'dev mode',
      async () => {
        await agent.close()
        agent = await serveAgent()
        return agent.url
      },
      'is in dev mode: its jobs are free, for everybody\n  set SERVICE_DEV_MODE=false',
    ],
    [
      'an agent that works unpaid',
      () => {
        agent.lie = (path, honest) => (path === '/execute' ? withBody(new Response(), {}) : honest)
        return agent.url
      },
      'POST /execute without payment is answered 200',
    ],
    [
      'a redirect',
      () => {
        agent.lie = () =>
          new Response(null, { status: 302, headers: { location: 'https://other.example/health' } })
        return agent.url
      },
      'callers follow no redirects',
    ],
    [
      'REG-07 an /about that is broken',
      () => {
        agent.lie = (path, honest) => (path === '/about' ? withBody(honest, { name: 'x' }) : honest)
        return agent.url
      },
      'is not a valid declaration',
    ],
    [
      'a /health that is not well',
      () => {
        agent.lie = (path, honest) =>
          path === '/health' ? withBody(honest, { name: 'x', version: '1.0', status: 'ill' }) : honest
        return agent.url
      },
      'tells status "ill", not "ok"',
    ],
    [
      'nobody there',
      async () => {
        const { url } = agent
        await agent.close()
        agent = await serveAgent({ funded: [] })
        return url
      },
      'nothing listens there',
    ],
  ]

  test.each(refusals)('%s', async (_, prepare, message) => {
    const endpoint = await prepare()
    const { code, out, err } = await run(['register', '--endpoint', endpoint, '--wallet', '--json'])
    expect(code).toBeGreaterThan(0)
    expect(err).toContain(message)
    expect(JSON.parse(out)).toMatchObject({ ok: false })
    expect(platform.seen).not.toContain('POST /v1/registrations')
  })

  test('an agent on this machine, when the platform is not in local mode', async () => {
    await platform.close()
    platform = await serveStandIn(chain, { localMode: false })
    const { code, err } = await run(withKey())
    expect(code).toBe(1)
    expect(err).toContain('agents of this machine are registered at a local platform')
  })

  test('a refusal by the platform is shown as it was worded', async () => {
    platform.refusal = { status: 502, error_type: 'agent', error: 'the agent\u202e did not answer' }
    const { code, err } = await run(withKey())
    expect(code).toBe(1)
    expect(err).toContain('✗ the agent· did not answer\n')
    expect(await stakes()).toBe(0)
  })

  test('a missing platform, and one that does not answer, are reported', async () => {
    const nowhere = await run(withKey(), { variables: {} })
    expect(nowhere).toMatchObject({
      code: 2,
      err: expect.stringContaining('✗ which platform?\n  give --platform'),
    })
    const silent = await run(withKey('--platform', 'http://127.0.0.1:1'))
    expect(silent.err).toContain('the platform at http://127.0.0.1:1 cannot be reached')
    const other = await run(withKey('--platform', agent.url))
    expect(other.err).toContain('is not a platform')
  })

  test('a URL without --endpoint is refused with the correct option', async () => {
    const { code, err } = await run(['register', agent.url])
    expect(code).toBe(2)
    expect(err).toContain(`farebox register --endpoint ${agent.url}`)
  })
})

describe('a platform that lies', () => {
  const lies: readonly (readonly [
    what: string,
    lie: (honest: { readonly [key: string]: unknown }) => object,
    message: string,
  ])[] = [
    [
      'asks for a larger stake',
      honest => ({ ...honest, stake_wei: '1000000000000000001' }),
      'it wants 1.000000000000000001 ETH',
    ],
    [
      'registers another endpoint',
      honest => ({ ...honest, endpoint: 'https://evil.example' }),
      'it would register https://evil.example',
    ],
    [
      'sends it to another contract',
      honest => ({ ...honest, registry_address: `0x${'e'.repeat(40)}` }),
      'at another contract than it announces',
    ],
    [
      'shows a page elsewhere',
      honest => ({ ...honest, register_page_url: 'https://evil.example/register' }),
      'its registration page is at another address',
    ],
  ]

  test.each(lies)('%s: nothing is signed', async (_, lie, message) => {
    platform.lie = (path, honest) => (path.startsWith('/v1/registrations') ? lie(honest) : honest)
    const { code, err } = await run(withKey())
    expect(code).toBe(1)
    expect(err).toContain(message)
    expect(await stakes()).toBe(0)
  })

  test('call data from the platform is ignored: the call is built here', async () => {
    platform.lie = (path, honest) =>
      path.startsWith('/v1/registrations') ? { ...honest, call_data: '0xdeadbeef' } : honest
    expect((await run(withKey())).code).toBe(0)
    expect(await view(chain, 'endpointOf', [await lastAgentId()])).toBe(agent.url)
  })

  test('nothing is sent to a registry address without a contract', async () => {
    const nobody = `0x${'e'.repeat(40)}`
    platform.lie = (_, honest) => ({ ...honest, registry_address: nobody })
    const { code, err } = await run(withKey())
    expect(code).toBe(1)
    expect(err).toContain(`there is no registry contract at ${nobody}`)
    expect(node.counts.get('eth_sendRawTransaction')).toBeUndefined()
  })

  test('extra fields of a newer platform are accepted', async () => {
    platform.lie = (path, honest) =>
      path === '/v1/platform'
        ? { ...honest, mood: 'good' }
        : { ...honest, found: { ...(honest['found'] as object), mood: 1 } }
    expect((await run(withKey())).code).toBe(0)
  })
})

describe('D36 an agent without /about', () => {
  beforeEach(() => {
    agent.lie = (path, honest) => (path === '/about' ? new Response('', { status: 404 }) : honest)
  })

  test('is registered as Phase 1 only, with an explanation of the consequences', async () => {
    const { code, err } = await run(withKey())
    expect(err).toContain('! GET /about    missing: 404')
    expect(err.replaceAll(/\s+/g, ' ')).toContain('as Phase 1 only: listed as unpaid and provisional')
    expect(err).toContain('listed, as unpaid and provisional (Phase 1)')
    expect(code).toBe(0)
  })

  test('is not registered when the person refuses', async () => {
    const { code, err } = await run(withKey(), { answers: [false] })
    expect(code).toBe(1)
    expect(err).toContain('not registered')
  })
})

test('an agent that breaks rules is shown with them, and registered if the person agrees', async () => {
  agent.lie = (path, honest) =>
    path === '/health' && honest.status === 405 ? new Response('', { status: 500 }) : honest
  const { code, err } = await run(withKey(), { answers: [false] })
  expect(code).toBe(1)
  expect(err).toMatch(/✗ rules {9}\d+ checks passed, \d+ failed\n {6}\S/)
  expect(err).toContain(`farebox check ${agent.url} shows how to fix it`)
})

describe('afterwards', () => {
  async function registered(): Promise<number> {
    expect((await run(withKey())).code).toBe(0)
    return await lastAgentId()
  }

  test('register status lists the registrations of this machine', async () => {
    const agentId = await registered()
    const { out } = await run(['register', 'status'])
    expect(out).toBe(
      `agent ${agentId}   ${agent.url}   ${platform.url}\n  listed: ${platform.url}/agents/${agentId}\n`,
    )
    expect(JSON.parse((await run(['register', 'status', '--json'])).out)).toMatchObject({
      registrations: [{ agent_id: agentId, endpoint: agent.url, status: { state: 'listed' } }],
    })
  })

  test('register update moves the agent after a check of the new endpoint, and can be repeated safely', async () => {
    const agentId = await registered()
    const moved = await serveAgent({ funded: [], declaration: { ...COUNTER, name: 'Moved' } })
    const words = ['register', 'update', String(agentId), '--endpoint', moved.url, '--rpc-url', node.url]
    const { code, out, err } = await run(words)
    expect(err).toContain('Moved')
    expect(code).toBe(0)
    expect(out).toContain(
      `✓ agent ${agentId} is reached there; the platform follows after 2 blocks: ${moved.url}\n`,
    )
    expect(await view(chain, 'endpointOf', [agentId])).toBe(moved.url)
    expect((await run(['register', 'status'])).out).toContain(`agent ${agentId}   ${moved.url}   `)
    expect((await run(words)).out).toContain('is reached there already')
    expect(node.counts.get('eth_sendRawTransaction')).toBe(2)
    await moved.close()
  })

  test('deregister returns the stake, and the endpoint can be registered again', async () => {
    const agentId = await registered()
    const { code, out } = await run(['deregister', String(agentId), '--yes', '--rpc-url', node.url])
    expect(code).toBe(0)
    expect(out).toBe(`✓ agent ${agentId} is deregistered, 0.001 ETH returned\n`)
    expect(await stakes()).toBe(0)
    expect((await run(withKey())).code).toBe(0)
    expect(await stakes()).toBe(1)
  })

  test('a stake that was deregistered elsewhere is not waited for: a new one is made', async () => {
    const agentId = await registered()
    const words = ['deregister', String(agentId), '--yes', '--rpc-url', node.url]
    expect((await run(words, { home: join(folder, 'other-home') })).code).toBe(0)
    const { code, err } = await run(withKey())
    expect(err).toContain('the stake signed earlier is void')
    expect(code).toBe(0)
    expect(await stakes()).toBe(1)
  })

  test('deregister by a wallet that does not hold the agent prints the transaction for the owner', async () => {
    const agentId = await registered()
    const variables = { FAREBOX_PRIVATE_KEY: TEST_KEYS.payer.privateKey, FAREBOX_PLATFORM: platform.url }
    const { code, err } = await run(['deregister', String(agentId), '--yes', '--rpc-url', node.url], {
      variables,
    })
    expect(code).toBe(1)
    expect(err).toContain(`agent ${agentId} is held by ${AGENT_WALLET.toLowerCase()}`)
    expect(err).toMatch(/data {2}0x[0-9a-f]{72}\n/)
    expect(await stakes()).toBe(1)
  })
})

describe('farebox register with a time limit', () => {
  const words = (...more: readonly string[]): readonly string[] => [
    'register',
    '--endpoint',
    agent.url,
    '--no-browser',
    ...more,
  ]

  test('--timeout ends the wait for a stake with exit 3, the page and the command that continues', async () => {
    const { code, err } = await run(words('--timeout', '0.2'))
    expect(code).toBe(3)
    expect(err).toContain('✗ nobody has staked so far\n')
    expect(err).toContain(`stake at ${platform.url}/register/`)
    expect(err).toContain(`farebox register --endpoint ${agent.url} goes on waiting`)
  })

  test('a stake made later is found by the same command', async () => {
    expect((await run(words('--timeout', '0.2'))).code).toBe(3)
    await register(chain, AGENT_WALLET, agent.url)
    const { code, out } = await run(words('--timeout', '20', '--json'))
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ ok: true, agent_id: await lastAgentId() })
  })

  test('a stake that is not listed in time also leads to exit 3', async () => {
    platform.confirmingLooks = 1_000
    const { code, err } = await run(withKey('--timeout', '0.2'))
    expect(code).toBe(3)
    expect(err).toMatch(/✗ (?:staked, and not listed yet|the stake 0x[0-9a-f]{64} was sent)/)
  })

  test('gives up after two minutes without a terminal', async () => {
    let now = 0
    const clock = {
      nowMs: () => now,
      // Long sleeps, so that the platform is not polled a hundred times.
      after(_: number, callback: () => void) {
        now += 40_000
        queueMicrotask(callback)
        return () => undefined
      },
    }
    const variables = { FAREBOX_PLATFORM: platform.url }
    const { world } = createTestWorld({ folder, variables })
    const refused = await runRegister(world, { endpoint: agent.url, browser: false }, clock).catch(
      (error: unknown) => error,
    )
    expect(refused).toMatchObject({ exitCode: 3, message: 'nobody has staked so far' })
    expect(now).toBe(120_000)
  })

  test.each(['0', '-1', 'soon', '86401'])('--timeout %s is refused', async value => {
    const { code, err } = await run(words(`--timeout=${value}`))
    expect(code).toBe(2)
    expect(err).toContain('--timeout: must be a number of seconds, more than 0 and at most 86400')
  })
})
