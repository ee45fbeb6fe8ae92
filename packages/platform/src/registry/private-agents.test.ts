import { once } from 'node:events'
import { connect } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { call, register } from '@farebox/local/src/testing/registry-calls'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AgentRow } from '../agents/agent-row.ts'
import { readAgent } from '../agents/read-agent.ts'
import { createApp } from '../app/create-app.ts'
import { askAgent } from '../jobs/drive/ask-agent.ts'
import type { JobRow } from '../jobs/records/job-row.ts'
import { quoteJob } from '../jobs/quote/quote-job.ts'
import { leaseChecks } from '../monitor/lease-checks.ts'
import { createAskNow } from '../monitor/ask/ask-now.ts'
import { readAddressBlock } from '../outbound/address/public-address.ts'
import { createOutbound, type Outbound, type OutboundOptions } from '../outbound/outbound.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { moveIn, startSite, type AgentSite } from '../test-setup/network/agent-site.ts'
import { makeCertificate } from '../test-setup/network/certificate.ts'
import { createPretendInternet } from '../test-setup/network/pretend-internet.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { judgeEndpointsAgain } from './chain/judge-endpoints-again.ts'
import { createRegistryFollower } from './chain/follow-registry.ts'
import { inspectAgent } from './inspect/inspect-agent.ts'
import { takeDueAgents } from './inspect/take-agents.ts'
import { registryRoutes } from './registry-routes.ts'

const OWNER = TEST_KEYS.agent.address
const WALLET = OWNER.toLowerCase()
const OTHER_OWNER = TEST_KEYS.secondAgent.address
const OTHER = OTHER_OWNER.toLowerCase()
const INSIDE = '10.1.2.3'
/** A name that exists only on a private network, and one that could be public. */
const CLUSTER = 'https://count.agents.svc'
const COMPANY = 'https://count.corp.example'
const certificate = makeCertificate(['count.agents.svc', 'count.corp.example'])

let chain: LocalChain
let stage: Stage
let opened: PlatformParts
let closed: PlatformParts
let app: FastifyInstance
let site: AgentSite
let front: Server
let snapshot: unknown

beforeAll(async () => {
  chain = await startChain()
})

beforeEach(async () => {
  snapshot = await callAnvil(chain.rpcUrl, 'evm_snapshot', [])
  site = await startSite()
  await moveIn(site, { wallet: WALLET })
  front = createServer({ key: certificate.key, cert: certificate.certificate }, socket => {
    const behind = connect(Number(new URL(site.url).port), '127.0.0.1')
    socket.on('error', () => behind.destroy())
    behind.on('error', () => socket.destroy())
    socket.pipe(behind).pipe(socket)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  stage = await stagePlatform({
    realTime: true,
    rpc: createJsonRpc(chain.rpcUrl),
    outbound: guard({ privateNetworks: NETWORKS }),
    settings: { registryAddress: chain.agentRegistry.toLowerCase(), confirmations: 0, localMode: false },
  })
  opened = stage.parts
  closed = { ...opened, outbound: guard({}) }
  app = createApp(opened, registryRoutes(opened))
  await app.ready()
})

afterEach(async () => {
  await app.close()
  await closed.outbound.close()
  await stage.close()
  await opened.rpc.close()
  front.close()
  await site.close()
  await callAnvil(chain.rpcUrl, 'evm_revert', [snapshot])
})

afterAll(() => chain.stop())

const NETWORKS: OutboundOptions['privateNetworks'] = {
  owners: new Set([WALLET]),
  hosts: ['agents.svc', 'corp.example'],
  addresses: [readAddressBlock('10.1.0.0/16') ?? expect.fail()],
  ca: certificate.certificate,
  ownServices: [],
}

/** A guard for which both names resolve to the site, at a private address. */
function guard(options: Pick<OutboundOptions, 'privateNetworks'>): Outbound {
  const address = front.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const names = { 'count.agents.svc': [INSIDE], 'count.corp.example': [INSIDE] }
  const { resolve, connectTo } = createPretendInternet(names, { [INSIDE]: port })
  return createOutbound({ localMode: false, resolve, connectTo, ...options })
}

/** Follows the chain and inspects all due agents. */
async function settle(parts = opened): Promise<void> {
  await follow(parts)
  await inspectDue(parts)
}

async function follow(parts = opened): Promise<void> {
  await callAnvil(chain.rpcUrl, 'anvil_mine', ['0x1'])
  const follower = createRegistryFollower(parts)
  while ((await follower.pass()).kind !== 'up-to-date');
}

async function inspectDue(parts = opened): Promise<void> {
  for (let rounds = 0; rounds < 10; rounds += 1) {
    const due = await takeDueAgents(parts.database, parts.clock.nowMs(), 100)
    if (due.length === 0) return
    for (const agentId of due) await inspectAgent(parts, agentId)
  }
}

async function agentOf(id: bigint): Promise<AgentRow> {
  return (await readAgent(opened.database, Number(id))) ?? expect.fail(`there is no agent ${id}`)
}

let callers = 0
async function open(endpoint: string, address?: string) {
  callers += 1
  return await app.inject({
    method: 'POST',
    url: '/v1/registrations',
    headers: address === undefined ? {} : await signedInAs(opened, address),
    remoteAddress: `198.51.100.${callers}`,
    payload: { endpoint },
  })
}

/** The status of a request for a registration. */
async function read(registrationId: string, address?: string): Promise<number> {
  const headers = address === undefined ? {} : await signedInAs(opened, address)
  return (await app.inject({ url: `/v1/registrations/${registrationId}`, headers })).statusCode
}

/** A job ordered from this agent, with the fields that sending it needs. */
async function jobOf(id: bigint, endpoint: string): Promise<JobRow> {
  const jobId = '2b0c9c9e-0f0f-4c55-9d3d-3f9f7d0c7a11'
  const job: Partial<JobRow> & { readonly requestBody: string } = {
    jobId,
    agentId: Number(id),
    endpoint,
    maxDeadlineSeconds: 5,
    sealedPayment: opened.seal.seal(jobId, 'x'),
    requestBody: '{}',
  }
  return job as unknown as JobRow
}

describe('D54 the registration of an agent on a private network', () => {
  test.each([CLUSTER, COMPANY])(
    'of %s needs a session of its owner, and is not shown to others',
    async url => {
      const refused = [await open(url), await open(url, OTHER)]
      expect(refused.map(({ statusCode }) => statusCode)).toEqual([400, 400])
      expect(site.seen).toEqual([])
      const mine = await open(url, WALLET)
      expect(mine.statusCode, mine.body).toBe(200)
      expect(mine.json()).toMatchObject({ endpoint: url, found: { phase: 'agent', wallet: WALLET } })
      const seen = site.seen.length
      for (const address of [undefined, OTHER]) {
        const answer = await open(url, address)
        expect(answer.statusCode).toBe(400)
        expect(answer.json()).toMatchObject({ error: refused[0]?.json<{ error: string }>().error })
      }
      expect(site.seen).toHaveLength(seen)
    },
  )

  test('is not shown to others after another owner has staked for it, nor by its id', async () => {
    const mine = await open(COMPANY, WALLET)
    const { registration_id: id } = mine.json<{ registration_id: string }>()
    await register(chain, OTHER_OWNER, COMPANY)
    await follow()
    for (const address of [undefined, OTHER]) expect((await open(COMPANY, address)).statusCode).toBe(400)
    const statuses = await Promise.all(
      [undefined, OTHER, WALLET].map(async address => await read(id, address)),
    )
    expect(statuses).toEqual([404, 404, 200])
  })

  test('leads to an agent that is inspected, checked, asked for its price and sent jobs', async () => {
    const agentId = await register(chain, OWNER, CLUSTER)
    await settle()
    const agent = await agentOf(agentId)
    expect(agent).toMatchObject({ standing: 'listed', endpoint: CLUSTER, provenWallet: WALLET })
    const leases = await leaseChecks(opened.database, 10, {})
    expect(leases).toMatchObject([{ agentId: Number(agentId), calledFor: WALLET }])
    expect(await createAskNow(opened)(agent)).toBe(true)
    const quote = await quoteJob(opened, { agentId: Number(agentId), capability: 'count' })
    expect(quote).toMatchObject({ pay_to: WALLET })
    const sent = await askAgent(opened, await jobOf(agentId, CLUSTER), AbortSignal.timeout(60_000))
    expect(sent.answer?.status).toBe(400)
  })

  test('before the network was opened is processed at the next start', async () => {
    const agentId = await register(chain, OWNER, CLUSTER)
    const others = await register(chain, OTHER_OWNER, CLUSTER)
    await settle(closed)
    expect(await agentOf(agentId)).toMatchObject({ standing: 'refused', endpoint: undefined })
    await judgeEndpointsAgain(opened)
    await inspectDue()
    expect(await agentOf(agentId)).toMatchObject({ standing: 'listed', endpoint: CLUSTER })
    expect(await agentOf(others)).toMatchObject({ standing: 'refused', endpoint: undefined })
  })
})

describe('D54 an agent that is transferred', () => {
  test.each([CLUSTER, COMPANY])(
    'with %s to a listed owner who did not write the endpoint is not called, until that owner writes it',
    async url => {
      const agentId = await register(chain, OTHER_OWNER, url)
      await settle()
      const before = await agentOf(agentId)
      await call(chain, OTHER_OWNER, 'transferFrom', [OTHER_OWNER, OWNER, agentId])
      await settle()
      const agent = await agentOf(agentId)
      expect(agent).toMatchObject({
        standing: 'refused',
        standingReason: before.standingReason,
        owner: WALLET,
      })
      expect(await createAskNow(opened)(agent)).toBe(false)
      expect(site.seen).toEqual([])
      await call(chain, OWNER, 'updateEndpoint', [agentId, url])
      await settle()
      expect(await agentOf(agentId)).toMatchObject({ standing: 'listed', endpoint: url })
    },
  )

  test.each([CLUSTER, COMPANY])('with %s to another owner is not called any more', async url => {
    const agentId = await register(chain, OWNER, url)
    await settle()
    await call(chain, OWNER, 'transferFrom', [OWNER, OTHER_OWNER, agentId])
    await settle()
    const seen = site.seen.length
    const agent = await agentOf(agentId)
    expect(agent.provenWallet).toBeUndefined()
    await expect(quoteJob(opened, { agentId: Number(agentId), capability: 'count' })).rejects.toThrow()
    expect(await createAskNow(opened)(agent)).toBe(false)
    const sent = await askAgent(opened, await jobOf(agentId, url), AbortSignal.timeout(60_000))
    expect(sent).toMatchObject({ answer: undefined, hasLeft: false })
    expect(site.seen).toHaveLength(seen)
  })

  test('sends no job to an endpoint that it had before', async () => {
    const agentId = await register(chain, OWNER, CLUSTER)
    await settle()
    const seen = site.seen.length
    const sent = await askAgent(opened, await jobOf(agentId, COMPANY), AbortSignal.timeout(60_000))
    expect(sent).toMatchObject({ answer: undefined, hasLeft: false })
    expect(site.seen).toHaveLength(seen)
  })
})
