import { STAKE_WEI } from '@farebox/contracts/internal/calls/registry-calls'
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import { encodeCall, view } from '@farebox/local/src/testing/registry-calls'
import {
  platform,
  registration,
  type FoundAgent,
  type RegistrationStatus,
} from '@farebox/platform-api/registry'

/** A platform for tests: it speaks the HTTP API by its schemas and reads a real registry. Nothing is stored. */
export interface StandInPlatform {
  readonly url: string
  /** Changes an outgoing answer, by its path. */
  lie: (path: string, answer: { readonly [key: string]: unknown }) => object
  /** The number of answers with confirmations before an agent is listed. */
  confirmingLooks: number
  /** If set, refuses every `POST /v1/registrations` with this. */
  refusal: { readonly status: number; readonly error_type: string; readonly error: string } | undefined
  /** Every request so far: `POST /v1/registrations`. */
  readonly seen: string[]
  close(): Promise<void>
}

type Chain = Pick<LocalChain, 'rpcUrl' | 'agentRegistry' | 'chainId'>

/** Serves one on a free port of this machine. */
export async function serveStandIn(
  chain: Chain,
  options: { readonly localMode?: boolean } = {},
): Promise<StandInPlatform> {
  const { localMode = true } = options
  const endpoints = new Map<string, string>()
  const found = new Map<string, FoundAgent>()
  let looks = 0

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url: path = '/' } = request
    standIn.seen.push(`${method} ${path}`)
    const [status, body] = await route(method, path, Buffer.concat(chunks).toString())
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    response.end(
      JSON.stringify(status === 200 ? standIn.lie(path, body as { [key: string]: unknown }) : body),
    )
  }

  async function route(method: string, path: string, body: string): Promise<[number, object]> {
    if (path === '/v1/platform') return [200, describe()]
    if (method === 'POST' && path === '/v1/registrations') {
      if (standIn.refusal !== undefined) {
        const { status, ...told } = standIn.refusal
        return [status, { status: 'failed', ...told }]
      }
      const { endpoint } = JSON.parse(body) as { endpoint: string }
      const id = [...endpoints].find(([, one]) => one === endpoint)?.[0] ?? randomUUID()
      endpoints.set(id, endpoint)
      found.set(id, await lookAt(endpoint))
      return [200, await tell(id)]
    }
    const id = /^\/v1\/registrations\/([^/]+)$/.exec(path)?.[1] ?? ''
    return endpoints.has(id)
      ? [200, await tell(id)]
      : [404, { status: 'failed', error_type: 'not_found', error: 'there is no such registration' }]
  }

  function describe(): object {
    return platform.parse({
      api_version: '1',
      public_url: url,
      local_mode: localMode,
      network: `eip155:${chain.chainId}`,
      network_name: 'Base Sepolia',
      chain_id: chain.chainId,
      registry_address: chain.agentRegistry.toLowerCase(),
      stake_wei: String(STAKE_WEI),
      confirmations: 2,
      usdc_address: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
      spend_permissions_address: null,
      check_interval_seconds: 600,
      refresh_interval_seconds: 86_400,
      facilitator_url: null,
      secrets: false,
    })
  }

  async function tell(id: string): Promise<object> {
    const endpoint = endpoints.get(id) ?? ''
    const told = found.get(id) ?? { phase: 'phase-1', name: '' }
    return registration.parse({
      registration_id: id,
      endpoint,
      found: told,
      examined_at: 1_795_000_000,
      checks: [],
      stake_wei: String(STAKE_WEI),
      registry_address: chain.agentRegistry.toLowerCase(),
      chain_id: chain.chainId,
      call_data: encodeCall('register', [endpoint]),
      register_page_url: `${url}/register/${id}`,
      ...(await stakesOf(endpoint, told)),
    })
  }

  /** The stakes for an endpoint on the chain: the one that counts, and those that do not. */
  async function stakesOf(endpoint: string, told: FoundAgent): Promise<object> {
    const others: object[] = []
    for (let agentId = Number(await view(chain, 'lastAgentId')); agentId > 0; agentId -= 1) {
      const [at, holder] = await Promise.all([
        view(chain, 'endpointOf', [agentId]).catch(() => undefined),
        view(chain, 'ownerOf', [agentId]).catch(() => undefined),
      ])
      if (at !== endpoint) continue
      const owner = String(holder).toLowerCase()
      if (told.phase === 'phase-1' || told.wallet === owner) {
        return { status: statusOf(agentId, owner, told), staked_by_others: others }
      }
      others.push({ agent_id: agentId, owner, reason: 'it is not the wallet of /about' })
    }
    return { status: { state: 'waiting_for_stake' }, staked_by_others: others }
  }

  function statusOf(agentId: number, owner: string, { phase }: FoundAgent): RegistrationStatus {
    looks += 1
    const transaction = `0x${'ab'.repeat(32)}`
    if (looks <= standIn.confirmingLooks) {
      return {
        state: 'confirming',
        agent_id: agentId,
        transaction,
        confirmations: 1,
        confirmations_wanted: 2,
      }
    }
    const profileUrl = `${url}/agents/${agentId}`
    const provisional = phase === 'phase-1'
    return { state: 'listed', agent_id: agentId, owner, transaction, profile_url: profileUrl, provisional }
  }

  const standIn: StandInPlatform = {
    url,
    lie: (_, honest) => honest,
    confirmingLooks: 1,
    refusal: undefined,
    seen: [],
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return standIn
}

async function lookAt(endpoint: string): Promise<FoundAgent> {
  const response = await fetch(`${endpoint}/about`)
  if (response.status === 404) return { phase: 'phase-1', name: 'Counter' }
  const about = (await response.json()) as { name: string; description: string; wallet: string }
  return {
    phase: 'agent',
    name: about.name,
    description: about.description,
    wallet: about.wallet.toLowerCase(),
    max_deadline_seconds: 10,
    capabilities: [],
  }
}
