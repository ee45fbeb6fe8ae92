import { mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeHeader } from '@farebox/payments/x402/payment-header'
import type { Clock } from '@farebox/protocol/time/clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { COUNTER } from '../../testing/served-agent.ts'
import { createTestWorld } from '../../testing/test-world.ts'
import {
  type CallFacts,
  type CallJournal,
  type EndedCall,
  journalCall,
  openCallJournal,
  type SentCall,
} from './call-journal.ts'

const DAY_SECONDS = 86_400
/** The timestamps of the file system are compared with this clock. */
const NOW = Math.floor(Date.now() / 1_000)

let home: string
let calls: string

const clock: Clock = { nowMs: () => NOW * 1_000, after: () => () => undefined }

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'farebox-journal-'))
  calls = join(home, 'calls')
})

afterEach(async () => {
  await rm(home, { recursive: true, force: true })
})

function ended(number: number): EndedCall {
  const facts: CallFacts = {
    version: 1,
    jobId: `3f8a2c1e-9b4d-4f6a-8c2b-${String(number).padStart(12, '0')}`,
    agentUrl: 'https://agent.example',
    capability: 'count',
    declaration: COUNTER,
    price: '0.002',
    network: 'eip155:84532',
    payer: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    payTo: COUNTER.wallet,
    startedAt: NOW + number,
  }
  return { ...facts, state: 'completed', endedAt: NOW, document: { ok: true } }
}

/** A call without an outcome; its signature has a valid form. */
function sent(number: number): SentCall {
  const { state: _, endedAt: __, document: ___, ...facts } = ended(number)
  const { jobId, agentUrl, capability, payer: from, payTo } = facts
  const task = { capability, input: { text: 'a' } }
  const authorization = {
    from,
    to: payTo,
    value: '2000',
    validAfter: '0',
    validBefore: String(NOW + 60),
    nonce: `0x${'ab'.repeat(32)}`,
  }
  const header = encodeHeader({
    x402Version: 1,
    scheme: 'exact',
    network: facts.network,
    payload: { authorization, signature: `0x${'cd'.repeat(65)}` },
  })
  const body = JSON.stringify({ service_version: '1.0', job_id: jobId, task, deadline: NOW })
  return { ...facts, state: 'sent', entry: { agentUrl, jobId, capability, body, header } }
}

/** Sets the timestamp of a file to this many days ago. */
async function age(name: string, days: number): Promise<void> {
  const seconds = NOW - days * DAY_SECONDS
  await utimes(join(calls, name), seconds, seconds)
}

test('ended calls older than 30 days are removed, unresolved and damaged ones are kept', async () => {
  const journal = openCallJournal(home, clock)
  await journal.end(ended(1))
  await journal.end(ended(2))
  await journal.write(sent(4))
  await writeFile(join(calls, 'damaged.json'), '{')
  await writeFile(join(calls, '.1-crashed.new'), '{}')
  await writeFile(join(calls, '.2-writing.new'), '{}')
  await age(`${ended(1).jobId}.json`, 31)
  await age(`${ended(2).jobId}.json`, 29)
  await age(`${sent(4).jobId}.json`, 400)
  await age('damaged.json', 400)
  await age('.1-crashed.new', 2)
  await age('.2-writing.new', 0)
  await journal.end(ended(3))
  const kept = [ended(2), ended(3), sent(4)].map(({ jobId }) => `${jobId}.json`)
  expect((await readdir(calls)).toSorted()).toEqual(['.2-writing.new', ...kept, 'damaged.json'].toSorted())
  expect((await journal.list()).records.map(({ state }) => state)).toEqual(['sent', 'completed', 'completed'])
})

test('a completed call stays completed, whatever result a later command gets', async () => {
  const journal = openCallJournal(home, clock)
  await journal.write(sent(1))
  await journal.end(ended(1))
  await journal.end({ ...ended(1), state: 'failed', document: { ok: false } })
  expect((await journal.list()).records).toMatchObject([{ state: 'completed', document: { ok: true } }])
})

test.each<[string, object, string]>([
  ['price', { price: '0.000001' }, 'its price is not what its payment is for'],
  ['network', { network: 'eip155:8453' }, 'its network is not that of its payment'],
  ['payer', { payer: COUNTER.wallet }, 'its payer is not that of its payment'],
  ['payTo', { payTo: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc' }, 'its payTo is not that of its payment'],
  ['agentUrl', { agentUrl: 'https://other.example' }, 'its entry is of another agentUrl'],
])('a record whose %s is not that of its payment is damaged', async (_, change, reason) => {
  const journal = openCallJournal(home, clock)
  await journal.write({ ...sent(1), ...change })
  expect(await journal.list()).toMatchObject({ records: [], damaged: [{ reason }] })
})

test('a file with the name of another job is reported as damaged', async () => {
  const journal = openCallJournal(home, clock)
  await journal.write(sent(1))
  await rename(join(calls, `${sent(1).jobId}.json`), join(calls, `${sent(2).jobId}.json`))
  const reason = 'holds another job than its name says'
  const path = join(calls, `${sent(2).jobId}.json`)
  expect(await journal.list()).toEqual({ records: [], damaged: [{ path, reason }] })
})

test.each([
  ['[]', 'is not a JSON object'],
  ['{"version":2}', 'is not of version 1'],
  ['{', 'is not JSON'],
])('a file that holds %s is damaged: it %s', async (text, reason) => {
  const journal = openCallJournal(home, clock)
  await journal.write(sent(1))
  await writeFile(join(calls, `${sent(1).jobId}.json`), text)
  expect(await journal.list()).toMatchObject({ records: [], damaged: [{ reason }] })
})

test('a call that could not be stored durably leaves nothing to resume', async () => {
  const journal = openCallJournal(home, clock)
  const { world } = createTestWorld({ folder: home, home })
  // Like a folder that cannot be flushed after the file has its name.
  const unflushed: CallJournal = {
    ...journal,
    async write(call) {
      await journal.write(call)
      throw Object.assign(new Error('i/o error'), { code: 'EIO' })
    },
  }
  await expect(journalCall(world, unflushed, sent(1))).rejects.toMatchObject({
    message: expect.stringContaining('cannot be journalled'),
    next: expect.stringContaining('nothing was sent'),
  })
  expect(await readdir(calls)).toEqual([])
})

test('the newest 500 ended calls are kept', async () => {
  const journal = openCallJournal(home, clock)
  await journal.end(ended(0))
  for (let number = 1; number <= 510; number += 1) {
    const { jobId } = ended(number)
    await writeFile(join(calls, `${jobId}.json`), JSON.stringify(ended(number)))
    await age(`${jobId}.json`, 1)
  }
  await journal.end(ended(511))
  expect(await readdir(calls)).toHaveLength(500)
  expect((await journal.list()).records[0]?.jobId).toBe(ended(511).jobId)
})

test('an empty home has no calls', async () => {
  expect(await openCallJournal(home, clock).list()).toEqual({ records: [], damaged: [] })
})
