import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetIfUnpaid, UNPAID_KEPT_MS } from '../jobs/records/delete-contents.ts'
import { makeNonce } from '../owners/sign-in-nonces.ts'
import { writeAudit } from '../write-audit.ts'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { signedInAs } from '../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { storeReport } from './reports.ts'
import { AUDIT_KEPT_MS, REPORTS_KEPT_MS, startCleanup, cleanUp } from './start-cleanup.ts'

const HOUR_MS = 3_600_000

let stage: Stage
beforeAll(async () => (stage = await stagePlatform()))
afterAll(async () => await stage.close())

async function counts(): Promise<readonly number[]> {
  const [row] = await stage.database.query<{ counts: number[] }>(
    'counts',
    `select array[(select count(*) from sign_in_nonces), (select count(*) from sessions),
       (select count(*) from agent_reports), (select count(*) from audit_events)]::integer[] as counts`,
  )
  return row?.counts ?? []
}

test('expired data is deleted, and no other data', async () => {
  const { parts, database, clock } = stage
  const { agentId } = await insertAgent(database)
  await makeNonce(database, clock.nowMs())
  await signedInAs(parts, `0x${'ab'.repeat(20)}`)
  const caller = { kind: 'anonymous', ip: '203.0.113.9' } as const
  await storeReport(database, agentId, { reason: 'spam', text: '' }, { caller, nowMs: clock.nowMs() })
  await writeAudit(database, {
    atMs: clock.nowMs(),
    actor: 'operator',
    action: 'agent-restored',
    subject: `agent ${agentId}`,
  })
  await cleanUp(parts)
  expect(await counts()).toEqual([1, 1, 1, 1])
  clock.pass(300_000)
  await cleanUp(parts)
  expect(await counts()).toEqual([0, 1, 1, 1])
  clock.pass(2 * HOUR_MS)
  await cleanUp(parts)
  expect(await counts()).toEqual([0, 0, 1, 1])
  clock.pass(REPORTS_KEPT_MS)
  await cleanUp(parts)
  expect(await counts()).toEqual([0, 0, 0, 1])
  clock.pass(AUDIT_KEPT_MS - REPORTS_KEPT_MS)
  await cleanUp(parts)
  expect(await counts()).toEqual([0, 0, 0, 0])
})

test('the contents of a job that was refused and not paid are deleted when they have expired', async () => {
  const { parts, database, clock } = stage
  const { agentId } = await insertAgent(database)
  const jobId = randomUUID()
  const at = new Date(clock.nowMs())
  await database.query(
    'test-job',
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, answer, created_at, expires_at,
       request_body, next_look_at)
     values ($1, $2, 'count', 'caller', $3, 1, 'failed', 'failed', $4, $4, 'asked', $4)`,
    [jobId, agentId, `0x${'2'.repeat(40)}`, at],
  )
  const job = { jobId, answer: 'failed', payment: 'open', contentsDeletedAtMs: undefined } as const
  await forgetIfUnpaid(database, job, { nowMs: clock.nowMs(), isOver: false })
  const contents = async (): Promise<unknown> =>
    await database.query('test-contents', 'select request_body is not null as kept from jobs')
  await cleanUp(parts)
  expect(await contents()).toEqual([{ kept: true }])
  clock.pass(UNPAID_KEPT_MS)
  await cleanUp(parts)
  expect(await contents()).toEqual([{ kept: false }])
})

test('the cleanup runs at the start and every hour until it is stopped', async () => {
  const { parts, database, clock } = stage
  const cleanup = startCleanup(parts)
  await expect.poll(() => clock.waiting()).toBe(1)
  await makeNonce(database, clock.nowMs())
  clock.pass(HOUR_MS)
  await expect.poll(async () => (await counts())[0]).toBe(0)
  await cleanup.stop()
  await cleanup.stop()
  expect(clock.waiting()).toBe(0)
})
