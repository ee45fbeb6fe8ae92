import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Declaration } from 'farebox'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { permissionStage, type PermissionStage } from '@farebox/local/src/testing/permission-stage'
import { runCli } from '../run-cli.ts'
import { serveCountingNode, type CountingNode } from '../testing/counting-node.ts'
import { COUNTER, serveAgent, type ServedAgent } from '../testing/served-agent.ts'
import { serveStandIn } from '../testing/stand-in-platform.ts'
import { createTestWorld, type TestWorldOptions } from '../testing/test-world.ts'

/** The output of a command, and its exit code. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly questions: readonly string[]
}

/** An agent that moves tokens, a chain, a platform, and a wallet that grants permissions. */
export interface LimitsStage {
  readonly agent: ServedAgent
  readonly node: CountingNode
  readonly platformUrl: string
  readonly folder: string
  /** SpendPermissions and the token, without the command. */
  readonly permissions: PermissionStage
  /** Runs `farebox limits …`, with the wallet of the owner and the agent's chain. */
  limits(words: readonly string[], options?: Partial<TestWorldOptions>): Promise<Ran>
  /** `limits allow` for `buy` of agent 7, confirmed. */
  allow(...more: readonly string[]): Promise<Ran>
  /** The number of the owner's transactions in blocks. */
  transactions(): Promise<number>
  close(): Promise<void>
}

export const OWNER_KEY = TEST_KEYS.payer.privateKey
export const AGENT_ID = 7

const { count } = COUNTER.capabilities

/** `buy` moves up to 5 USDC at a time, `count` moves nothing, `swap` moves the token {@link UNKNOWN_TOKEN}. */
const SHOPPER: Declaration = {
  ...COUNTER,
  name: 'Shopper',
  capabilities: {
    count,
    buy: { ...count, permissions: [spending('USDC')] },
    sell: { ...count, permissions: [spending('USDC')] },
    swap: { ...count, permissions: [spending('USDC')] },
  },
}

/** The runtime would not serve an unknown token, so a proxy changes its `/about`. */
const UNKNOWN_TOKEN = 'DAI'

async function withUnknownToken(path: string, answer: Response): Promise<Response> {
  if (path !== '/about') return answer
  const about = (await answer.json()) as Declaration
  const { swap } = about.capabilities
  const capabilities = { ...about.capabilities, swap: { ...swap, permissions: [spending(UNKNOWN_TOKEN)] } }
  return Response.json({ ...about, capabilities })
}

function spending(token: string) {
  const reason = 'Pays the shop for what you order.'
  return { type: 'EXECUTE_TRANSACTIONS', reason, token, max_per_transaction: '5.00' } as const
}

/** Sets it up on a chain; the owner gets another 100 USDC. */
export async function openLimitsStage(chain: LocalChain): Promise<LimitsStage> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-limits-'))
  const node = await serveCountingNode(chain.rpcUrl)
  const work = (): object => ({ words: 1 })
  const handlers = { count: work, buy: work, sell: work, swap: work }
  const agent = await serveAgent({ declaration: SHOPPER, handlers })
  agent.lie = withUnknownToken
  const platform = await servePlatform(chain, agent.url)
  const permissions = permissionStage(chain)
  const { address: owner } = TEST_KEYS.payer
  await permissions.token(owner, 'mint', [owner, 100_000_000n])

  async function limits(words: readonly string[], options: Partial<TestWorldOptions> = {}): Promise<Ran> {
    const variables = { FAREBOX_PRIVATE_KEY: OWNER_KEY }
    const { world, out, err, everything, questions } = createTestWorld({ folder, variables, ...options })
    const code = await runCli(['limits', ...words, '--network', 'eip155:84532', '--rpc-url', node.url], world)
    if (everything().includes(OWNER_KEY.slice(2))) throw new Error('the key was shown')
    return { code, out: out(), err: err(), questions }
  }

  return {
    agent,
    node,
    platformUrl: platform.url,
    folder,
    permissions,
    limits,
    allow: (...more) => limits(allowWords(agent.url, ...more)),
    async transactions() {
      const call = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionCount', params: [owner, 'latest'] }
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) })
      return Number(((await answer.json()) as { result: string }).result)
    },
    async close() {
      await Promise.all([node.close(), agent.close(), platform.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The default arguments of `allow`; a later option overrides an earlier one. */
export function allowWords(agentUrl: string, ...more: readonly string[]): readonly string[] {
  const terms = ['--limit', '1.00', '--cap', '10.00', '--spender', TEST_KEYS.agent.address]
  return ['allow', agentUrl, 'buy', ...terms, '--agent-id', String(AGENT_ID), '--yes', ...more]
}

/** A platform that lists the agent as number 7, and describes itself like the stand-in. */
async function servePlatform(chain: LocalChain, agentUrl: string) {
  const standIn = await serveStandIn(chain)
  const page = { agent_id: AGENT_ID, endpoint: agentUrl, standing: 'listed', standing_reason: null }
  const pages: { readonly [path: string]: object } = {
    [`/v1/agents/at?endpoint=${encodeURIComponent(agentUrl)}`]: { agent_id: AGENT_ID, name: 'Shopper' },
    [`/v1/agents/${AGENT_ID}`]: { ...page, payable: true, notices: [], refreshed_at: null, health: null },
  }
  const missing = { status: 'failed', error_type: 'not_found', error: 'there is no such agent' }
  const server = createServer((request, response) => {
    const { url = '/' } = request
    const told = pages[url]
    response.setHeader('content-type', 'application/json')
    if (url === '/v1/platform') {
      fetch(`${standIn.url}${url}`)
        .then(async answer => response.end(await answer.text()))
        .catch(() => response.destroy())
      return
    }
    response.writeHead(told === undefined ? 404 : 200)
    response.end(JSON.stringify(told ?? missing))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, standIn.close()])
    },
  }
}
