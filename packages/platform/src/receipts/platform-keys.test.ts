import { verifyReceipt } from '@farebox/platform-api/receipt'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertAgent } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { issueReceipt, type ReceiptedJob } from './issue-receipt.ts'
import { readKeySet, readSigningKey, revokeKey, rotateSigningKey } from './platform-keys.ts'

let stage: Stage

beforeEach(async () => {
  stage = await stagePlatform()
  await insertAgent(stage.database)
})
afterEach(async () => {
  await stage.close()
})

async function insertPaidJob(): Promise<ReceiptedJob> {
  const jobId = randomUUID()
  const payer = `0x${'2'.repeat(40)}`
  await stage.database.pool.query(
    `insert into jobs (job_id, agent_id, capability, kind, payer, amount_atomic, state, created_at, expires_at)
     values ($1, 1, 'count', 'caller', $2, 10000, 'completed', now(), now())`,
    [jobId, payer],
  )
  return {
    jobId,
    agentId: 1,
    endpoint: 'https://agent.example',
    capability: 'count',
    payer,
    amountAtomic: 10_000n,
    inputHash: 'a'.repeat(64),
    outputHash: 'b'.repeat(64),
    network: 'eip155:84532',
    asset: `0x${'1'.repeat(40)}`,
    payTo: `0x${'3'.repeat(40)}`,
    transaction: `0x${'4'.repeat(64)}`,
    answer: 'completed',
    payment: 'paid',
    completedAt: 1_800_000_000,
    finishedAtMs: undefined,
    receipt: undefined,
  }
}

test('processes that start together have one key, and its private part is only in the database', async () => {
  const workers = [stage.parts, await stage.anotherWorker(), await stage.anotherWorker()]
  const keys = await Promise.all(workers.map(({ database }) => readSigningKey(database, 1)))
  expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(1)
  const published = await readKeySet(stage.database)
  expect(published.keys).toHaveLength(1)
  expect(published.keys[0]).not.toHaveProperty('d')
})

test('after a rotation the new key signs, old receipts stay valid, and the old private part is deleted', async () => {
  const before = await issueReceipt(stage.parts, await insertPaidJob())
  const old = await readSigningKey(stage.database, 1)
  const next = await rotateSigningKey(stage.database, 2)
  const after = await issueReceipt(stage.parts, await insertPaidJob())
  const saved: unknown = JSON.parse(JSON.stringify(await readKeySet(stage.database)))
  expect(await verifyReceipt(before ?? '', saved)).toMatchObject({ ok: true, keyId: old.keyId })
  expect(await verifyReceipt(after ?? '', saved)).toMatchObject({ ok: true, keyId: next.keyId })
  const { rows } = await stage.database.pool.query<{ all: string }>(
    'select platform_keys::text as all from platform_keys',
  )
  expect(rows.map(row => row.all).join()).not.toContain(old.privateJwk.d)
})

test('receipts of a revoked key prove nothing and are signed again, once; those of other keys stay', async () => {
  const nowMs = stage.clock.nowMs()
  const leaked = await readSigningKey(stage.database, nowMs)
  const job = await insertPaidJob()
  const old = { ...job, receipt: await issueReceipt(stage.parts, job) }
  const next = await rotateSigningKey(stage.database, nowMs)
  const good = await insertPaidJob()
  const kept = { ...good, receipt: await issueReceipt(stage.parts, good) }
  expect(await revokeKey(stage.database, leaked.keyId, nowMs)).toBe(next.keyId)

  const keys = await readKeySet(stage.database)
  const date = new Date(nowMs).toISOString().slice(0, 10)
  expect(await verifyReceipt(old.receipt ?? '', keys)).toEqual({
    ok: false,
    reason: `the platform revoked its key on ${date}: ask the platform for the receipt anew`,
  })
  const other = await stage.anotherWorker()
  const anew = await Promise.all([stage.parts, other].map(parts => issueReceipt(parts, old)))
  expect(new Set(anew).size).toBe(1)
  expect(await verifyReceipt(anew[0] ?? '', keys)).toMatchObject({ ok: true, keyId: next.keyId })
  expect(await issueReceipt(stage.parts, { ...old, receipt: anew[0] })).toBe(anew[0])
  expect(await issueReceipt(stage.parts, kept)).toBe(kept.receipt)
})

test('a receipt is the same for every request and every process', async () => {
  const job = await insertPaidJob()
  const other = await stage.anotherWorker()
  const issued = await Promise.all([stage.parts, other, stage.parts].map(parts => issueReceipt(parts, job)))
  expect(new Set(issued).size).toBe(1)
})

test.each([{ payment: 'open' }, { answer: 'failed' }, { transaction: undefined }, { outputHash: undefined }])(
  'there is no receipt for %o',
  async changes => {
    expect(await issueReceipt(stage.parts, { ...(await insertPaidJob()), ...changes })).toBeUndefined()
  },
)
