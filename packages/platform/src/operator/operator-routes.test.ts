import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp } from '../app/create-app.ts'
import { watchAgent } from '../agents/watch-agent.ts'
import { indexAgent } from '../listing/index-agent.ts'
import { readKeySet, readSigningKey } from '../receipts/platform-keys.ts'
import { answersAsDocumented } from '../test-setup/answers-as-documented.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { operatorRoutes } from './operator-routes.ts'

const OPERATOR_TOKEN = 'an-operator-token-of-tests'
const OPERATOR = { authorization: `Bearer ${OPERATOR_TOKEN}` }

let stage: Stage
let app: FastifyInstance
let ask: (request: InjectOptions) => Promise<LightMyRequestResponse>
let agentId: number

beforeAll(async () => {
  stage = await stagePlatform({ settings: { operatorToken: OPERATOR_TOKEN } })
  const routes = operatorRoutes(stage.parts)
  app = createApp(stage.parts, routes)
  ask = answersAsDocumented(app, routes)
})
beforeEach(async () => {
  stage.clock.pass(60_000)
  ;({ agentId } = await insertAgent(stage.database))
  await stage.database.inTransaction(async client => {
    await indexAgent(client, agentId)
    await watchAgent(client, agentId, stage.clock.nowMs())
  })
})
afterAll(async () => {
  await app.close()
  await stage.close()
})

const report = async (payload: object, more: InjectOptions = {}): Promise<LightMyRequestResponse> =>
  await ask({ method: 'POST', url: `/v1/agents/${agentId}/reports`, payload, ...more })

interface Reports {
  readonly reports: readonly { readonly reason: string; readonly text: string; readonly reporter: string }[]
  readonly next_cursor: string | null
}
const readReports = async (query = `?agent_id=${agentId}`): Promise<Reports> =>
  (await ask({ url: `/v1/operator/reports${query}`, headers: OPERATOR })).json<Reports>()

describe('a report', () => {
  test('reaches the operator, with no more about its sender than necessary', async () => {
    const answer = await report(
      { reason: 'fraud', text: 'It took the money\nand ran.' },
      { remoteAddress: '203.0.113.9' },
    )
    expect([answer.statusCode, answer.json()]).toEqual([202, { status: 'received' }])
    const { reports } = await readReports()
    expect(reports).toMatchObject([
      { agent_id: agentId, agent_name: 'Word counter', agent_standing: 'listed', reason: 'fraud' },
    ])
    expect(reports[0]?.text).toBe('It took the money\nand ran.')
    expect(reports[0]?.reporter).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(await stage.database.query('all', 'select * from agent_reports'))).not.toContain(
      '203.0.113.9',
    )
  })

  test('is stored once for each reporter; a new one replaces the former', async () => {
    await report({ reason: 'spam', text: 'First.' }, { remoteAddress: '203.0.113.9' })
    await report({ reason: 'fraud', text: 'Second.' }, { remoteAddress: '203.0.113.9' })
    await report({ reason: 'spam', text: 'Another.' }, { remoteAddress: '203.0.113.10' })
    const owner = `0x${'ab'.repeat(20)}`
    await report({ reason: 'other' }, { headers: await signedInAs(stage.parts, owner) })
    const { reports } = await readReports()
    expect(reports.map(one => one.text).toSorted()).toEqual(['', 'Another.', 'Second.'])
    expect(reports.map(one => one.reporter)).toContain(`owner ${owner}`)
  })

  test.each([
    ['an unknown reason', { reason: 'ugly' }, /^reason: /],
    ['a long text', { reason: 'spam', text: 'a'.repeat(1_001) }, /^text: must have at most 1000 characters/],
    ['control characters', { reason: 'spam', text: 'a\u001b[2J' }, /^text: has control characters/],
    ['text that runs backwards', { reason: 'spam', text: 'a\u202egpj' }, /^text: has control characters/],
    ['another’s name', { reason: 'spam', reporter: 'owner 0x' }, /^reporter: is not known here/],
  ])('with %s is refused', async (_, payload, words) => {
    const answer = await report(payload)
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([
      400,
      expect.stringMatching(words),
    ])
  })

  test('about an unknown agent is 404, and only five a minute are accepted', async () => {
    const nobody = { url: '/v1/agents/999999/reports', remoteAddress: '203.0.113.77' }
    const codes: number[] = []
    for (let time = 0; time < 6; time += 1) codes.push((await report({ reason: 'spam' }, nobody)).statusCode)
    expect(codes).toEqual([404, 404, 404, 404, 404, 429])
  })

  test('is not stored beyond a thousand of one agent', async () => {
    await stage.database.query(
      'fill',
      `insert into agent_reports select gen_random_uuid(), $1, 'r' || n, 'spam', '', now() from generate_series(1, 1000) n`,
      [agentId],
    )
    expect((await report({ reason: 'fraud' })).statusCode).toBe(202)
    const [row] = await stage.database.query<{ count: string }>(
      'count',
      'select count(*) from agent_reports where agent_id = $1',
      [agentId],
    )
    expect(row?.count).toBe('1000')
  })

  test('is listed newest first, a hundred at a time, each once', async () => {
    await stage.database.query(
      'fill-150',
      `insert into agent_reports
       select gen_random_uuid(), $1, 'r' || n, 'spam', n::text, $2::timestamptz + make_interval(secs => n / 10)
       from generate_series(1, 150) n`,
      [agentId, new Date(stage.clock.nowMs())],
    )
    const first = await readReports()
    const second = await readReports(`?agent_id=${agentId}&cursor=${first.next_cursor}`)
    expect([first.reports.length, second.reports.length, second.next_cursor]).toEqual([100, 50, null])
    expect(new Set([...first.reports, ...second.reports].map(one => one.text)).size).toBe(150)
    expect(Number(first.reports[0]?.text)).toBeGreaterThanOrEqual(141)
  })
})

describe('the operator', () => {
  const takeDown = async (
    payload: object = { reason: 'It sells what it has stolen.' },
  ): Promise<LightMyRequestResponse> =>
    await ask({ method: 'POST', url: `/v1/operator/agents/${agentId}/take-down`, payload, headers: OPERATOR })
  const restore = async (): Promise<LightMyRequestResponse> =>
    await ask({ method: 'POST', url: `/v1/operator/agents/${agentId}/restore`, headers: OPERATOR })
  const stands = async (): Promise<object | undefined> => {
    const [row] = await stage.database.query<Record<string, unknown>>(
      'stands',
      `select standing, standing_reason, stake_wei, proven_wallet, next_refresh_at is not null as is_to_be_looked_at,
         (select count(*)::integer from search_entries s where s.agent_id = a.agent_id) as found,
         (select due_at = 'infinity' from agent_health h where h.agent_id = a.agent_id) as unwatched
       from agents a where agent_id = $1`,
      [agentId],
    )
    return row
  }

  test('takes an agent down: it is not found and not checked, and its reason and stake are kept', async () => {
    expect(await stands()).toMatchObject({ standing: 'listed', found: 1, unwatched: false })
    const answer = await takeDown()
    expect(answer.json()).toEqual({
      agent_id: agentId,
      standing: 'taken-down',
      standing_reason: 'It sells what it has stolen.',
    })
    expect(await stands()).toMatchObject({
      standing: 'taken-down',
      standing_reason: 'It sells what it has stolen.',
      stake_wei: '1000000000000000',
      found: 0,
      unwatched: true,
      is_to_be_looked_at: false,
    })
  })

  test('restores it, so that it waits for an inspection, but only if it was taken down', async () => {
    expect((await restore()).statusCode).toBe(409)
    await takeDown()
    expect((await restore()).json()).toMatchObject({ standing: 'waiting', standing_reason: null })
    expect(await stands()).toMatchObject({
      standing: 'waiting',
      standing_reason: null,
      is_to_be_looked_at: true,
      proven_wallet: null,
      found: 0,
    })
  })

  test('restores one that has deregistered since: it stays deregistered, and its endpoint is free again', async () => {
    await takeDown()
    await stage.database.query(
      'leave-down',
      `update agents set standing = 'deregistered' where agent_id = $1`,
      [agentId],
    )
    const blocked = async (): Promise<number> =>
      (
        await stage.database.query('blocked', 'select from taken_down_endpoints where agent_id = $1', [
          agentId,
        ])
      ).length
    expect(await blocked()).toBe(1)
    const answer = await restore()
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { agent_id: agentId, standing: 'deregistered', standing_reason: null },
    ])
    expect([await blocked(), await stands()]).toMatchObject([0, { is_to_be_looked_at: false }])
    expect((await restore()).statusCode).toBe(409)
    const [row] = await stage.database.query<{ detail: object }>(
      'audit-of-restored',
      `select detail from audit_events where subject = $1 and action = 'agent-restored'`,
      [`agent ${agentId}`],
    )
    expect(row).toEqual({ detail: { stood: 'deregistered' } })
  })

  test('writes an audit event of both', async () => {
    await takeDown()
    await takeDown({ reason: 'Worse than we thought.' })
    await restore()
    const rows = await stage.database.query(
      'audit-of-agent',
      'select actor, action, detail from audit_events where subject = $1 order by event_id',
      [`agent ${agentId}`],
    )
    expect(rows).toEqual([
      {
        actor: 'operator',
        action: 'agent-taken-down',
        detail: {
          reason: 'It sells what it has stolen.',
          stood: 'listed',
        },
      },
      {
        actor: 'operator',
        action: 'agent-taken-down',
        detail: {
          reason: 'Worse than we thought.',
          stood: 'taken-down',
        },
      },
      { actor: 'operator', action: 'agent-restored', detail: {} },
    ])
  })

  test('replaces the key that signs receipts, and other callers cannot', async () => {
    const before = await readSigningKey(stage.database, stage.clock.nowMs())
    stage.clock.pass(1_000)
    const request = { method: 'POST', url: '/v1/operator/receipt-keys/rotate' } as const
    expect((await ask(request)).statusCode).toBe(401)
    const { key_id: keyId } = (await ask({ ...request, headers: OPERATOR })).json<{ key_id: string }>()
    expect(keyId).not.toBe(before.keyId)
    const { keys } = await readKeySet(stage.database)
    expect(keys.map(({ kid }) => kid)).toEqual([keyId, before.keyId])
    expect(
      await stage.database.query(
        'audit-of-key',
        'select actor, action from audit_events where subject = $1',
        [`receipt key ${keyId}`],
      ),
    ).toEqual([{ actor: 'operator', action: 'receipt-key-rotated' }])
  })

  test('revokes a key that may have leaked: the key set shows since when, and a new key signs', async () => {
    const nowMs = stage.clock.nowMs()
    const { keyId } = await readSigningKey(stage.database, nowMs)
    const request = { method: 'POST', url: `/v1/operator/receipt-keys/${keyId}/revoke` } as const
    expect((await ask(request)).statusCode).toBe(401)
    const { key_id: next } = (await ask({ ...request, headers: OPERATOR })).json<{ key_id: string }>()
    expect(next).toBe((await readSigningKey(stage.database, nowMs)).keyId)
    expect(next).not.toBe(keyId)
    stage.clock.pass(5_000)
    expect((await ask({ ...request, headers: OPERATOR })).json()).toEqual({ key_id: next })
    const { keys } = await readKeySet(stage.database)
    const revoked = { revoked_at: Math.floor(nowMs / 1_000), reason: 'compromised' }
    expect(keys.filter(key => key.kid === keyId)).toMatchObject([{ revoked }])
    expect(keys.find(key => key.kid === next)).not.toHaveProperty('revoked')
    expect(
      await stage.database.query(
        'audit-of-revocation',
        'select actor, action from audit_events where subject = $1',
        [`receipt key ${keyId}`],
      ),
    ).toContainEqual({ actor: 'operator', action: 'receipt-key-revoked' })
  })

  test('cannot revoke an unknown key', async () => {
    const revoke = async (keyId: string): Promise<number> =>
      (await ask({ method: 'POST', url: `/v1/operator/receipt-keys/${keyId}/revoke`, headers: OPERATOR }))
        .statusCode
    expect([await revoke('a'.repeat(43)), await revoke('none')]).toEqual([404, 400])
  })

  test('gives a reason, and cannot take down an agent that has deregistered or is unknown', async () => {
    expect((await takeDown({ reason: ' ' })).statusCode).toBe(400)
    expect((await takeDown({})).json()).toMatchObject({ error: 'reason: is required' })
    await stage.database.query('leave', `update agents set standing = 'deregistered' where agent_id = $1`, [
      agentId,
    ])
    expect((await takeDown()).statusCode).toBe(409)
    agentId = 999_999
    expect([(await takeDown()).statusCode, (await restore()).statusCode]).toEqual([404, 404])
  })

  test('has no routes when no token is set; reports are still accepted', async () => {
    const parts = { ...stage.parts, settings: { ...stage.parts.settings, operatorToken: undefined } }
    const without = createApp(parts, operatorRoutes(parts))
    for (const authorization of ['Bearer undefined', 'Bearer ']) {
      const answer = await without.inject({ url: '/v1/operator/reports', headers: { authorization } })
      expect(answer.statusCode).toBe(404)
    }
    const url = `/v1/agents/${agentId}/reports`
    expect((await without.inject({ method: 'POST', url, payload: { reason: 'spam' } })).statusCode).toBe(202)
    await without.close()
  })
})
