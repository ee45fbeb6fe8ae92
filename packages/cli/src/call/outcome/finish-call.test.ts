import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '@farebox/client/execute'
import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AGENT_WALLET, COUNTER, serveAgent, type ServedAgent } from '../../testing/served-agent.ts'
import { createTestWorld } from '../../testing/test-world.ts'
import { openCallJournal, type SentCall } from '../journal/call-journal.ts'
import { finishCall } from './finish-call.ts'

const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'

let folder: string
let agent: ServedAgent

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-finish-'))
  agent = await serveAgent({ funded: ['0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'] })
})

afterEach(async () => {
  await agent.close()
  await rm(folder, { recursive: true, force: true })
})

test('when a call is stopped between signing and sending, the signed payment is deleted', async () => {
  const stop = new AbortController()
  const { world } = createTestWorld({ folder, signal: stop.signal })
  const journal = openCallJournal(world.home, systemClock)
  const calls = join(world.home, 'calls')
  let sent: SentCall | undefined
  const finished = finishCall(world, {
    work: async () =>
      await execute(
        agent.url,
        'count',
        { text: 'a' },
        {
          signer: privateKeySigner(await loadEvmCrypto(), KEY),
          signal: stop.signal,
          journal: async entry => {
            sent = sentCall(entry)
            await journal.write(sent)
            expect(await readdir(calls)).toHaveLength(1)
            stop.abort()
          },
        },
      ),
    capability: 'count',
    waiting: '',
    sent: () => sent,
    resumed: false,
    journal,
    chain: undefined,
    local: undefined,
    json: false,
  })
  await expect(finished).rejects.toMatchObject({ name: 'AbortError' })
  expect(agent.seen.filter(({ header }) => header !== undefined)).toEqual([])
  expect(await readdir(calls)).toEqual([])
})

test('an unexpected error after a call was stored never claims that it is uncharged', async () => {
  const { world } = createTestWorld({ folder })
  const sent = sentCall({ agentUrl: agent.url, jobId: 'a-job', capability: 'count', body: '', header: '' })
  const finished = finishCall(world, {
    work: () => Promise.reject(new RangeError('a fault')),
    capability: 'count',
    waiting: '',
    sent: () => sent,
    resumed: false,
    journal: openCallJournal(world.home, systemClock),
    chain: undefined,
    local: undefined,
    json: true,
  })
  await expect(finished).rejects.toMatchObject({
    exitCode: 3,
    document: { charged: 'unknown', job_id: 'a-job', error: { type: 'internal' } },
  })
})

function sentCall(entry: JournalEntry): SentCall {
  return {
    version: 1,
    state: 'sent',
    jobId: entry.jobId,
    agentUrl: entry.agentUrl,
    capability: 'count',
    declaration: COUNTER,
    price: '0.002',
    network: 'eip155:84532',
    payer: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    payTo: AGENT_WALLET,
    startedAt: 1,
    entry,
  }
}
