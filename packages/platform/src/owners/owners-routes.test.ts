import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createJsonOrigin } from '@farebox/payments/src/http/http-json'
import { createApp } from '../app/create-app.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { serveSecrets, type SecretsFacilitator } from '../test-setup/network/facilitator-for-secrets.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { makeWallet, signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { createFacilitatorAdmin } from './settlements/facilitator-admin.ts'
import { ownersRoutes } from './owners-routes.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const clock = createManualClock()
let stage: Stage
let facilitator: SecretsFacilitator
let app: FastifyInstance
let owner: string
let ask: (request: InjectOptions) => Promise<LightMyRequestResponse>

beforeAll(async () => {
  const { parts, close } = await stagePlatform()
  facilitator = await serveSecrets({ crypto: parts.crypto, clock })
  await close()
  stage = await stagePlatform({ clock, settings: { facilitator } })
  app = openApp(stage.parts)
})
beforeEach(async () => {
  clock.pass(60_000)
  owner = makeWallet(stage.parts.crypto).address
  ask = await askAs(app, owner)
})
afterAll(async () => {
  await app.close()
  await facilitator.close()
  await stage.close()
})

function openApp(parts: PlatformParts): FastifyInstance {
  return createApp(parts, ownersRoutes(parts))
}

async function askAs(
  through: FastifyInstance,
  address: string,
): Promise<(request: InjectOptions) => Promise<LightMyRequestResponse>> {
  const headers = await signedInAs(stage.parts, address)
  const send = answersAsDocumented(through, ownersRoutes(stage.parts))
  return async request => await send({ ...request, headers })
}

describe('PUT /v1/me/agents/:agentId/category', () => {
  test('sets and removes the category in which the agent is found', async () => {
    const { agentId } = await insertAgent(stage.database, { owner })
    const choose = (category: string | null) =>
      ask({ method: 'PUT', url: `/v1/me/agents/${agentId}/category`, payload: { category } })
    const answer = await choose('code')
    expect([answer.statusCode, answer.json()]).toEqual([200, { category: 'code' }])
    expect((await ask({ url: '/v1/me/agents' })).json()).toMatchObject({ agents: [{ category: 'code' }] })
    expect(await tagsOf(agentId)).toContain('category=code')
    await choose('data')
    expect((await tagsOf(agentId)).filter(tag => tag.startsWith('category='))).toEqual(['category=data'])
    await choose(null)
    expect((await ask({ url: '/v1/me/agents' })).json()).toMatchObject({ agents: [{ category: null }] })
    expect((await tagsOf(agentId)).filter(tag => tag.startsWith('category='))).toEqual([])
  })

  test('accepts only the owner, and only categories of the list', async () => {
    const other = await insertAgent(stage.database)
    const choose = (agentId: number, category: unknown) =>
      ask({ method: 'PUT', url: `/v1/me/agents/${agentId}/category`, payload: { category } })
    expect((await choose(other.agentId, 'code')).statusCode).toBe(404)
    expect((await choose(999_999_999, 'code')).statusCode).toBe(404)
    const { agentId } = await insertAgent(stage.database, { owner })
    const answer = await choose(agentId, 'gambling')
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      400,
      expect.stringMatching(/^category: /),
    ])
    expect(
      await stage.database.query('categories', 'select from agents where category is not null', []),
    ).toEqual([])
  })

  async function tagsOf(agentId: number): Promise<readonly string[]> {
    const [row] = await stage.database.query<{ tags: string[] }>(
      'tags-of',
      'select tags from search_entries where agent_id = $1',
      [agentId],
    )
    return row?.tags ?? []
  }
})

describe('GET /v1/me/agents', () => {
  test('lists the caller’s agents with any status, and no others', async () => {
    const listed = await insertAgent(stage.database, { owner, badge: 'gold', badgeShown: 'silver' })
    const refused = await insertAgent(stage.database, { owner, standing: 'refused', provenWallet: null })
    await insertAgent(stage.database)
    const answer = await ask({ url: '/v1/me/agents' })
    expect(answer.json()).toMatchObject({
      agents: [
        { agent_id: listed.agentId, standing: 'listed', badge: 'silver', wallet: owner, wallet_proven: true },
        { agent_id: refused.agentId, standing: 'refused', wallet_proven: false },
      ],
      next_cursor: null,
    })
    expect((await ask({ url: '/v1/me' })).json()).toMatchObject({ address: owner, agents: 2 })
  })

  test('continues after a hundred', async () => {
    await stage.database.query(
      'many',
      `insert into agents (agent_id, endpoint_on_chain, owner, stake_wei, registered_block, registered_transaction,
         registered_at, standing_since)
       select 500000 + n, 'x', $1, 1, 1, '0x', now(), now() from generate_series(1, 101) as n`,
      [owner],
    )
    const first = (await ask({ url: '/v1/me/agents' })).json<{ agents: unknown[]; next_cursor: string }>()
    expect([first.agents.length, first.next_cursor]).toEqual([100, '500100'])
    const second = (await ask({ url: `/v1/me/agents?cursor=${first.next_cursor}` })).json()
    expect(second).toMatchObject({ agents: [{ agent_id: 500_101 }], next_cursor: null })
    expect((await ask({ url: '/v1/me/agents?cursor=1%20or%201' })).statusCode).toBe(400)
  })
})

describe('GET /v1/me/agents/:agentId/dashboard', () => {
  async function insertJob(
    agentId: number,
    job: {
      readonly state: string
      readonly capability?: string
      readonly amount?: number
      readonly elapsedMs?: number
      readonly agoMs?: number
      readonly kind?: string
    },
  ): Promise<void> {
    await stage.database.query(
      'insert-job',
      `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at,
         elapsed_ms, transaction)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, $7, $8, $9)`,
      [
        agentId,
        job.capability ?? 'count',
        job.kind ?? 'caller',
        `0x${'cd'.repeat(20)}`,
        job.amount ?? 10_000,
        job.state,
        new Date(clock.nowMs() - (job.agoMs ?? HOUR_MS)),
        job.elapsedMs ?? null,
        job.state === 'completed' ? `0x${'00'.repeat(32)}` : null,
      ],
    )
  }

  test('counts jobs by outcome, with times and earnings per capability', async () => {
    const { agentId } = await insertAgent(stage.database, { owner })
    for (let n = 1; n <= 20; n += 1) await insertJob(agentId, { state: 'completed', elapsedMs: n * 10 })
    await insertJob(agentId, { state: 'completed', capability: 'sum', amount: 2_500_000, elapsedMs: 5 })
    await insertJob(agentId, { state: 'failed', elapsedMs: 9_999 })
    await insertJob(agentId, { state: 'expired' })
    await insertJob(agentId, { state: 'pending' })
    // A job of the platform's own, and one before the period.
    await insertJob(agentId, { state: 'completed', kind: 'canary', elapsedMs: 5_000 })
    await insertJob(agentId, { state: 'completed', agoMs: 8 * DAY_MS, elapsedMs: 5_000 })
    const answer = await ask({ url: `/v1/me/agents/${agentId}/dashboard` })
    expect(answer.json()).toMatchObject({
      agent_id: agentId,
      jobs: { sent: 24, completed: 21, failed: 1, expired: 1, open: 1 },
      success: 21 / 23,
      p50_ms: 100,
      p95_ms: 190,
      earned: '2.7',
      earned_atomic: '2700000',
      capabilities: [
        { capability: 'count', earned: '0.2', jobs: { sent: 23, completed: 20 }, p95_ms: 190 },
        { capability: 'sum', earned: '2.5', success: 1, p50_ms: 5 },
      ],
    })
    const month = await ask({ url: `/v1/me/agents/${agentId}/dashboard?days=30` })
    expect(month.json()).toMatchObject({ jobs: { sent: 25 } })
  })

  test('has the health of each hour, including the current one', async () => {
    const { agentId } = await insertAgent(stage.database, { owner })
    const hour = Math.floor(clock.nowMs() / HOUR_MS) * HOUR_MS
    await stage.database.query('past', `insert into agent_hours values ($1, $2, 5, 1, '{10,20,30,40,50}')`, [
      agentId,
      new Date(hour - HOUR_MS),
    ])
    await stage.database.query(
      'now',
      `insert into agent_health (agent_id, watched_since, due_at, hour, hour_ok, hour_failed, hour_latencies_ms)
       values ($1, now(), now(), $2, 1, 2, '{70}')`,
      [agentId, new Date(hour)],
    )
    const answer = await ask({ url: `/v1/me/agents/${agentId}/dashboard?days=1` })
    expect(answer.json<{ health: unknown }>().health).toMatchObject([
      { at: (hour - HOUR_MS) / 1_000, ok: 5, failed: 1, latency_min_ms: 10, latency_max_ms: 50 },
      { at: hour / 1_000, ok: 1, failed: 2, latency_mean_ms: 70 },
    ])
  })

  test('is empty before the first job, and its period is limited', async () => {
    const { agentId } = await insertAgent(stage.database, { owner })
    const answer = await ask({ url: `/v1/me/agents/${agentId}/dashboard` })
    expect(answer.json()).toMatchObject({
      success: null,
      p50_ms: null,
      earned: '0',
      capabilities: [],
      health: [],
    })
    for (const days of ['0', '31', '1.5', 'x', ''])
      expect((await ask({ url: `/v1/me/agents/${agentId}/dashboard?days=${days}` })).statusCode).toBe(400)
  })
})

describe('FACILITATOR_SECRETs', () => {
  interface Made {
    readonly secret_id: string
    readonly secret: string
    readonly wallets: readonly string[]
    readonly replaces: string | null
  }
  const create = async (payload: object = {}): Promise<LightMyRequestResponse> =>
    await ask({ method: 'POST', url: '/v1/me/secrets', payload })
  const list = async (): Promise<readonly { secret_id: string; revoked_at: number | null }[]> =>
    (await ask({ url: '/v1/me/secrets' })).json<{
      secrets: { secret_id: string; revoked_at: number | null }[]
    }>().secrets

  test('are created for the caller’s address and proven wallets, shown once, and known to the facilitator', async () => {
    const [proven, unproven, provisional] = [1, 2, 3].map(() => makeWallet(stage.parts.crypto).address)
    await insertAgent(stage.database, { owner, wallet: proven ?? '' })
    await insertAgent(stage.database, { owner, wallet: unproven ?? '', provenWallet: null })
    await insertAgent(stage.database, { owner, wallet: provisional ?? '', standing: 'provisional' })
    const answer = await create()
    const made = answer.json<Made>()
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(made.secret).toMatch(/^fbx_/)
    expect(made.wallets.toSorted()).toEqual([owner, proven].toSorted())
    const told = await ask({ url: '/v1/me/secrets' })
    expect(told.body).not.toContain(made.secret)
    expect(told.json()).toMatchObject({ secrets: [{ secret_id: made.secret_id, revoked_at: null }] })
    expect(await listAtFacilitator(owner)).toMatchObject([{ id: made.secret_id, owner }])
  })

  test('are not created for another owner’s wallet, or an unproven one', async () => {
    const [unproven, formers] = [
      makeWallet(stage.parts.crypto).address,
      makeWallet(stage.parts.crypto).address,
    ]
    await insertAgent(stage.database, { owner, wallet: unproven, provenWallet: null })
    await insertAgent(stage.database, { owner, wallet: formers, standing: 'deregistered' })
    for (const wallet of [unproven, formers, `0x${'cd'.repeat(20)}`]) {
      const answer = await create({ wallets: [owner.toUpperCase().replace('X', 'x'), wallet] })
      expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
        403,
        expect.stringMatching(/^wallets\[1\]: must be your own address or/),
      ])
    }
    expect((await create({ wallets: [] })).statusCode).toBe(400)
    expect((await create({ wallets: ['0x12'] })).json()).toMatchObject({
      error: 'wallets[0]: must be an address',
    })
    expect(await list()).toEqual([])
  })

  test('those that the operator created for the caller’s wallet are marked, show that wallet only, and cannot be revoked', async () => {
    const wallet = makeWallet(stage.parts.crypto).address
    await insertAgent(stage.database, { owner, wallet })
    const facilitator = createFacilitatorAdmin(stage.parts.settings.facilitator)
    const made = await facilitator.create({
      owner: 'npm run secret',
      wallets: [wallet, `0x${'cd'.repeat(20)}`],
      sponsorship: 'named',
    })
    await facilitator.create({
      owner: 'npm run secret',
      wallets: [`0x${'ef'.repeat(20)}`],
      sponsorship: 'named',
    })
    const own = (await create()).json<Made>()
    const listed = (await ask({ url: '/v1/me/secrets' })).json<{ secrets: readonly unknown[] }>()
    expect(listed.secrets).toEqual([
      expect.objectContaining({ secret_id: own.secret_id, made_by: 'you' }),
      expect.objectContaining({ secret_id: made.id, made_by: 'operator', wallets: [wallet] }),
    ])
    const revoked = await ask({ method: 'DELETE', url: `/v1/me/secrets/${made.id}` })
    const rotated = await ask({ method: 'POST', url: `/v1/me/secrets/${made.id}/rotate` })
    for (const answer of [revoked, rotated]) {
      expect(answer.statusCode).toBe(404)
      expect(answer.json<{ error: string }>().error).toMatch(/made with the admin token: not yours to rotate/)
    }
  })

  test('are rotated by a second one, which is valid beside the first until that is revoked', async () => {
    const first = (await create()).json<Made>()
    const rotate = async (): Promise<LightMyRequestResponse> =>
      await ask({ method: 'POST', url: `/v1/me/secrets/${first.secret_id}/rotate` })
    const second = (await rotate()).json<Made>()
    expect(second).toMatchObject({ replaces: first.secret_id, wallets: [owner] })
    expect(second.secret).not.toBe(first.secret)
    expect((await list()).map(one => one.revoked_at)).toEqual([null, null])
    const third = await rotate()
    expect([third.statusCode, third.json<{ error: string }>().error]).toEqual([
      409,
      expect.stringMatching(/two active.*npx farebox secret revoke <id>$/),
    ])
    const revoke = { method: 'DELETE', url: `/v1/me/secrets/${first.secret_id}` } as const
    expect([(await ask(revoke)).statusCode, (await ask(revoke)).statusCode]).toEqual([204, 204])
    const after = await list()
    expect(after.find(one => one.secret_id === first.secret_id)?.revoked_at).not.toBeNull()
    expect(after.find(one => one.secret_id === second.secret_id)?.revoked_at).toBeNull()
    expect((await rotate()).json()).toMatchObject({ error: 'secretId: is revoked: make a new secret' })
  })

  test('have the given label, on one line, which a rotation keeps; the old and the new one name each other', async () => {
    const label = '  build\u0001 machine\u202e\n two  '
    const first = (await create({ label })).json<Made>()
    const url = `/v1/me/secrets/${first.secret_id}/rotate`
    const second = (await ask({ method: 'POST', url })).json<Made>()
    expect([first, second]).toMatchObject([
      { label: 'build machine two', replaces: null, replaced_by: null, last_used_at: null },
      { label: 'build machine two', replaces: first.secret_id },
    ])
    // Created in the same second, either may come first.
    const listed = new Map((await list()).map(secret => [secret.secret_id, secret]))
    expect(listed.get(first.secret_id)).toMatchObject({ replaced_by: second.secret_id })
    expect(listed.get(second.secret_id)).toMatchObject({ replaces: first.secret_id, replaced_by: null })
    expect((await create({ label: 'x'.repeat(65) })).statusCode).toBe(400)
    await ask({ method: 'DELETE', url: `/v1/me/secrets/${first.secret_id}` })
    expect((await create({ label: ' \u200b ' })).json()).toMatchObject({ label: null })
  })

  test('keep at a rotation only the wallets that still belong to the caller', async () => {
    const wallet = makeWallet(stage.parts.crypto).address
    const { agentId } = await insertAgent(stage.database, { owner, wallet })
    const first = (await create()).json<Made>()
    expect(first.wallets).toContain(wallet)
    await stage.database.query('sold', 'update agents set owner = $2 where agent_id = $1', [agentId, wallet])
    const url = `/v1/me/secrets/${first.secret_id}/rotate`
    expect((await ask({ method: 'POST', url })).json<Made>().wallets).toEqual([owner])
  })

  test('write audit events without the secret', async () => {
    const made = (await create()).json<Made>()
    const rotated = (
      await ask({ method: 'POST', url: `/v1/me/secrets/${made.secret_id}/rotate` })
    ).json<Made>()
    await ask({ method: 'DELETE', url: `/v1/me/secrets/${made.secret_id}` })
    const rows = await stage.database.query<{ action: string; subject: string; detail: object }>(
      'audit',
      'select action, subject, detail from audit_events where actor = $1 order by event_id',
      [owner],
    )
    expect(rows).toEqual([
      { action: 'secret-created', subject: `secret ${made.secret_id}`, detail: { wallets: [owner] } },
      {
        action: 'secret-rotated',
        subject: `secret ${rotated.secret_id}`,
        detail: { wallets: [owner], replaces: made.secret_id },
      },
      { action: 'secret-revoked', subject: `secret ${made.secret_id}`, detail: {} },
    ])
    expect(JSON.stringify(rows)).not.toContain(made.secret)
  })

  test('an unavailable facilitator causes 503, and so does one that refuses the platform, without its error text', async () => {
    const away = { url: 'http://127.0.0.1:1', adminToken: 'x'.repeat(16) }
    const refusing = { url: facilitator.url, adminToken: 'not-the-service-token' }
    for (const settings of [away, refusing]) {
      const parts = { ...stage.parts, settings: { ...stage.parts.settings, facilitator: settings } }
      const other = openApp(parts)
      const answer = await (await askAs(other, owner))({ url: '/v1/me/secrets' })
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
      expect(answer.body).not.toMatch(/service token|ECONNREFUSED/)
      await other.close()
    }
  })

  test('a platform without a facilitator refuses to create them', async () => {
    const other = openApp({ ...stage.parts, settings: { ...stage.parts.settings, facilitator: undefined } })
    const answer = await (await askAs(other, owner))({ method: 'POST', url: '/v1/me/secrets', payload: {} })
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      404,
      'this platform makes no FACILITATOR_SECRETs',
    ])
    await other.close()
  })

  async function listAtFacilitator(address: string): Promise<unknown> {
    const origin = createJsonOrigin(facilitator.url)
    const { body } = await origin.send({
      method: 'GET',
      path: `/secrets?owner=${address}`,
      headers: { authorization: `Bearer ${facilitator.adminToken}` },
      timeoutMs: 5_000,
    })
    await origin.close()
    return body
  }
})
