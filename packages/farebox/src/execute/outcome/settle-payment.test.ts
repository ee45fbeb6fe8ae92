import { randomUUID } from 'node:crypto'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { describe, expect, test } from 'vitest'
import type { JobStore } from '../../jobs/job-store.ts'
import { createMemoryStore } from '../../jobs/memory-store.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { createPorts, stageAgent } from '../paid-stage.test-setup.ts'
import { createScriptedGate, FAILED, UNKNOWN } from '../scripted-gate.test-setup.ts'
import { signerOf } from '../staged-payment.test-setup.ts'
import { after, receiptOf } from '../staged-request.test-setup.ts'

describe('PAY-12, D22 a settlement that definitely failed', () => {
  test('D7 is answered 402 with the receipt', async () => {
    const stage = await stageAgent()
    stage.gate.settles.push(FAILED)
    const answer = await stage.post()
    expect(answer).toMatchObject({
      status: 402,
      json: {
        error_type: 'payment',
        error: 'the payment could not be settled (insufficient_funds): sign a new one for the same job_id',
      },
    })
    expect(receiptOf(answer)).toEqual({
      success: false,
      transaction: '',
      network: 'eip155:84532',
      payer: expect.any(String),
      errorReason: 'insufficient_funds',
    })
  })

  test('gives the same 402 with the receipt to the same header, without asking the facilitator', async () => {
    const stage = await stageAgent()
    const job = await stage.order()
    stage.gate.settles.push(FAILED)
    const first = await stage.post(job)
    stage.calls.length = 0
    const again = await stage.post(job)
    expect(again).toMatchObject({ status: 402, text: first.text })
    expect(receiptOf(again)).toEqual(receiptOf(first))
    expect(stage.calls).toEqual(['read'])
    expect(stage.gate.charged.size).toBe(0)
  })

  test('lets a new authorization of the same payer buy the response, without a second run', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    stage.gate.settles.push(FAILED, FAILED)
    const refused = [await stage.sign({ jobId }), await stage.sign({ jobId })]
    for (const payment of refused) expect((await stage.post({ jobId, payment })).status).toBe(402)
    expect(await stage.post({ jobId })).toMatchObject({ status: 200, json: { output: { text: 'hi' } } })
    expect(stage.count('handler')).toBe(1)
    expect(stage.gate.charged.size).toBe(1)
    // A refused payment is never submitted again, but its repeat gets the response that was bought since.
    for (const payment of refused) expect((await stage.post({ jobId, payment })).status).toBe(200)
    expect(stage.count('settle')).toBe(3)
  })

  test('does not give the response to another payer', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    stage.gate.settles.push(FAILED)
    await stage.post({ jobId })
    const payer = signerOf(await loadEvmCrypto(), 2)
    expect(await stage.post({ jobId, payment: await stage.sign({ jobId, payer }) })).toMatchObject({
      status: 402,
      json: { error: 'this job_id is in use by another payer' },
    })
    expect(stage.gate.charged.size).toBe(0)
  })

  test('IDM-02 does not let a saved response be bought under a cheaper capability', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    stage.gate.settles.push(FAILED)
    await stage.post({ jobId, capability: 'work' })
    const answer = await stage.post({ jobId, capability: 'cheap' })
    expect(answer).toMatchObject({
      status: 402,
      json: { error: expect.stringContaining('costs 10000 atomic units') },
    })
    expect(stage.gate.charged.size).toBe(0)
    expect((await stage.post({ jobId, capability: 'work' })).status).toBe(200)
  })

  test('keeps the response available after a new payment that does not verify', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    stage.gate.settles.push(FAILED)
    await stage.post({ jobId })
    stage.gate.verifies.push({ kind: 'invalid', reason: 'insufficient_funds', message: '' })
    expect((await stage.post({ jobId })).status).toBe(402)
    expect((await stage.post({ jobId })).status).toBe(200)
    expect(stage.count('handler')).toBe(1)
  })

  test('D24 is deleted after ten minutes, and the handler runs again', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    stage.gate.settles.push(FAILED)
    await stage.post({ jobId })
    await stage.clock.advance(601_000)
    expect((await stage.post({ jobId })).status).toBe(200)
    expect(stage.count('handler')).toBe(2)
  })
})

describe('D8, PAY-13 a settlement with an unknown outcome', () => {
  test('is answered 503 pending after the wait, and 200 to a later repeat', async () => {
    const stage = await stageAgent({ settleWaitMs: 1_000 })
    const job = await stage.order()
    stage.gate.settles.push(UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)
    const pending = await after(stage.clock, 1_000, stage.post(job))
    expect(pending).toMatchObject({
      status: 503,
      json: { status: 'pending', job_id: job.jobId, service_version: '1.0' },
    })
    expect(pending.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(pending.headers.get('cache-control')).toBe('no-store')
    await stage.clock.advance(10_000)
    const first = await stage.post(job)
    const second = await stage.post(job)
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text])
    expect(receiptOf(second)).toEqual(receiptOf(first))
    expect([stage.count('handler'), stage.count('settle'), stage.gate.charged.size]).toEqual([1, 5, 1])
  })

  test('is waited for by a repeat, for its own wait time', async () => {
    const stage = await stageAgent({ settleWaitMs: 1_000 })
    const job = await stage.order()
    stage.gate.settles.push(...Array.from({ length: 12 }, () => UNKNOWN))
    expect((await after(stage.clock, 1_000, stage.post(job))).status).toBe(503)
    expect((await after(stage.clock, 1_000, stage.post(job))).status).toBe(503)
    stage.gate.settles.length = 0
    expect((await after(stage.clock, 5_000, stage.post(job))).status).toBe(200)
  })

  test('that fails later is answered 402 with the receipt to the repeat', async () => {
    const stage = await stageAgent({ settleWaitMs: 100 })
    const job = await stage.order()
    stage.gate.settles.push(UNKNOWN, FAILED)
    expect((await after(stage.clock, 150, stage.post(job))).status).toBe(503)
    await stage.clock.advance(1_000)
    const repeat = await stage.post(job)
    expect(repeat.status).toBe(402)
    expect(receiptOf(repeat)).toMatchObject({ success: false })
  })

  test('is requested with the identical payment each time', async () => {
    const stage = await stageAgent({ settleWaitMs: 100 })
    const asked: unknown[] = []
    const { settle } = stage.gate
    stage.gate.settles.push(UNKNOWN, UNKNOWN)
    Object.assign(stage.gate, {
      settle: (payment: Parameters<typeof settle>[0]) => {
        asked.push(payment)
        return settle(payment)
      },
    })
    await after(stage.clock, 2_000, stage.post())
    expect(asked).toHaveLength(3)
    expect(new Set(asked.map(payment => JSON.stringify(payment))).size).toBe(1)
  })

  test('is assumed when a gate rejects, against its contract', async () => {
    const stage = await stageAgent({ settleWaitMs: 100 })
    const { settle } = stage.gate
    let calls = 0
    Object.assign(stage.gate, {
      settle: (payment: Parameters<typeof settle>[0]) =>
        (calls += 1) === 1 ? Promise.reject(new Error('broken')) : settle(payment),
    })
    const job = await stage.order()
    expect((await after(stage.clock, 150, stage.post(job))).status).toBe(503)
    await stage.clock.advance(1_000)
    expect((await stage.post(job)).status).toBe(200)
  })
})

describe('a success that is not recorded yet', () => {
  /** A store that delays the record of a settled job until the test allows it. */
  function late(store: JobStore): { readonly store: JobStore; write(): void; die(): void } {
    let write: () => void = () => undefined
    let isDead = false
    const begun = new Promise<void>(resolve => {
      write = resolve
    })
    return {
      write: () => write(),
      die() {
        isDead = true
      },
      store: {
        ...store,
        unresolved: () => (isDead ? Promise.reject(new Error('dead')) : store.unresolved()),
        async write(holder, change) {
          if (change.kind === 'leave' && change.job.state === 'settled') await begun
          return await store.write(holder, change)
        },
      },
    }
  }

  test('D7 is answered as soon as the transfer is proven', async () => {
    const clock = createFakeClock()
    const { store } = late(createMemoryStore(clock))
    const stage = await stageAgent({ clock, store })
    expect(await stage.post()).toMatchObject({ status: 200, json: { output: { text: 'hi' } } })
    expect(stage.calls.at(-1)).toBe('leave settled')
  })

  test('D22 gives a repeat the same bytes and receipt once the record is written', async () => {
    const clock = createFakeClock()
    const { store, write } = late(createMemoryStore(clock))
    const stage = await stageAgent({ clock, store })
    const job = await stage.order()
    const first = await stage.post(job)
    const repeated = stage.post(job)
    write()
    const second = await after(clock, 200, repeated)
    expect([second.status, second.text]).toEqual([200, first.text])
    expect(receiptOf(second)).toEqual(receiptOf(first))
    expect([stage.count('handler'), stage.count('settle')]).toEqual([1, 1])
  })

  test('D24 is written by the process that takes the job over: the same bytes, charged once', async () => {
    const clock = createFakeClock()
    const kept = createMemoryStore(clock)
    const gate = createScriptedGate()
    const { store, die } = late(kept)
    const dying = await stageAgent({ clock, gate, store })
    const job = await dying.order()
    const first = await dying.post(job)
    die()
    const next = await stageAgent({ clock, gate, store: kept })
    await clock.advance(20_000)
    expect(await kept.unresolved()).toEqual([])
    const second = await after(clock, 1_000, next.post(job))
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text])
    expect(receiptOf(second)).toEqual(receiptOf(first))
    expect([next.calls.includes('handler'), gate.charged.size]).toEqual([false, 1])
  })

  test('D32 is written before the agent has stopped', async () => {
    const clock = createFakeClock()
    const kept = createMemoryStore(clock)
    const { store, write } = late(kept)
    const stage = await stageAgent({ clock, store })
    await stage.post()
    let isClosed = false
    const closed = stage.agent.close().then(() => {
      isClosed = true
    })
    await clock.advance(10)
    expect(isClosed).toBe(false)
    write()
    await clock.advance(3_000)
    await closed
    await clock.advance(20_000)
    expect(await kept.unresolved()).toEqual([])
  })
})

describe('a store that does not accept an outcome', () => {
  /** A store whose writes of this state fail a number of times, with or without effect. */
  function failing(store: JobStore, state: string, times: number, when: 'before' | 'after'): JobStore {
    let left = times
    return {
      ...store,
      async write(holder, change) {
        if (change.kind === 'forget' || change.job.state !== state || left === 0)
          return await store.write(holder, change)
        left -= 1
        if (when === 'after') await store.write(holder, change)
        throw new Error('the store does not answer')
      },
    }
  }

  test.each(['before', 'after'] as const)(
    'I5 a failure is reported once it is recorded, and never submitted again meanwhile (%s)',
    async when => {
      const clock = createFakeClock()
      const stage = await stageAgent({
        clock,
        store: failing(createMemoryStore(clock), 'unpaid', 3, when),
        settleWaitMs: 100,
      })
      const job = await stage.order()
      stage.gate.settles.push(FAILED)
      expect((await after(clock, 150, stage.post(job))).status).toBe(503)
      await clock.advance(5_000)
      expect((await stage.post(job)).status).toBe(402)
      await clock.advance(60_000)
      expect(stage.count('settle')).toBe(1)
      expect(stage.gate.charged.size).toBe(0)
    },
  )

  test('leaves the decision to the process that has the job', async () => {
    const { clock, store } = createPorts()
    const taken: JobStore = {
      ...store,
      write: async (holder, change) =>
        change.kind === 'leave' && change.job.state === 'unpaid' ? false : await store.write(holder, change),
    }
    const stage = await stageAgent({ clock, store: taken })
    stage.gate.settles.push(FAILED)
    expect((await stage.post()).status).toBe(503)
    await clock.advance(5_000)
    expect(stage.count('leave unpaid')).toBe(1)
    expect(stage.count('settle')).toBe(1)
  })

  test.each(['before', 'after'] as const)(
    'does not delay the report of a success; a repeat gets it when it is found again (%s)',
    async when => {
      const clock = createFakeClock()
      const stage = await stageAgent({ clock, store: failing(createMemoryStore(clock), 'settled', 1, when) })
      const job = await stage.order()
      const first = await stage.post(job)
      expect(first.status).toBe(200)
      const repeat = await after(clock, 20_000, stage.post(job))
      const later = await stage.post(job)
      expect([200, 503]).toContain(repeat.status)
      expect(later).toMatchObject({ status: 200, text: first.text })
      expect(stage.gate.charged.size).toBe(1)
    },
  )
})

describe('D32, OPS-04 stopping while a settlement is open', () => {
  test('leaves it saved and released, and the next process settles it', async () => {
    const { clock, store, gate } = createPorts()
    const first = await stageAgent({ clock, store, gate, settleWaitMs: 100 })
    const job = await first.order()
    gate.settles.push(UNKNOWN, UNKNOWN)
    expect((await after(clock, 150, first.post(job))).status).toBe(503)
    const stopped = first.agent.close()
    await clock.advance(2_000)
    await stopped
    const [jobKey = ''] = await store.unresolved()
    expect(await store.read(jobKey)).toMatchObject({ held: false, job: { state: 'saved' } })

    gate.settles.length = 0
    const second = await stageAgent({ clock, store, gate })
    await clock.advance(0)
    expect(second.calls).toEqual(['read', 'claim', 'settle', 'leave settled'])
    expect(second.logs()).toContainEqual(
      expect.stringMatching(
        `^resuming a settlement that an earlier process left open job=${job.jobId} trace=[0-9a-f]{32} key=`,
      ),
    )
    expect(await second.post(job)).toMatchObject({
      status: 200,
      json: { output: { text: 'hi' } },
    })
    expect(gate.charged.size).toBe(1)
  })

  test('a settlement of a process that died is taken over by one other process when its lease ends', async () => {
    const { clock, store, gate } = createPorts()
    const cut = { off: false }
    const dying: JobStore = {
      ...store,
      write: async (holder, change) =>
        cut.off ? await new Promise<boolean>(() => undefined) : await store.write(holder, change),
      unresolved: () => Promise.resolve([]),
    }
    const first = await stageAgent({ clock, store: dying, gate, settleWaitMs: 100 })
    const others = [await stageAgent({ clock, store, gate }), await stageAgent({ clock, store, gate })]
    const job = await first.order()
    gate.settle = async () => {
      cut.off = true
      return await Promise.resolve(UNKNOWN)
    }
    expect((await after(clock, 150, first.post(job))).status).toBe(503)
    gate.settle = createScriptedGate().settle
    await clock.advance(16_000)
    expect(others.flatMap(other => other.calls.filter(call => call === 'leave settled'))).toEqual([
      'leave settled',
    ])
    for (const other of others) expect((await other.post(job)).status).toBe(200)
  })

  test('a settlement of another agent in the same store is left alone, because it has its own facilitator', async () => {
    const { clock, store } = createPorts()
    const first = await stageAgent({ clock, store, settleWaitMs: 100 })
    first.gate.settles.push(...Array.from({ length: 20 }, () => UNKNOWN))
    await after(clock, 150, first.post())
    const stopped = first.agent.close()
    await clock.advance(2_000)
    await stopped
    const strangers = [
      await stageAgent({
        clock,
        store,
        variables: { AGENT_WALLET_ADDRESS: '0x00000000000000000000000000000000000fa4e1' },
      }),
      await stageAgent({ clock, store, variables: { SERVICE_NETWORK: 'eip155:8453' } }),
      await stageAgent({ clock, store, variables: { SERVICE_PUBLIC_URL: 'https://other.example' } }),
    ]
    await clock.advance(30_000)
    for (const stranger of strangers) expect(stranger.calls).toEqual([])
    expect(await store.unresolved()).toHaveLength(1)
  })

  test('a job of another network is a different job, so that test money does not buy a real job', async () => {
    const { clock, store } = createPorts()
    const testing = await stageAgent({ clock, store })
    const jobId = randomUUID()
    expect((await testing.post({ jobId })).status).toBe(200)
    const dev = await stageAgent({ clock, store, variables: { SERVICE_DEV_MODE: 'true' } })
    expect(await dev.post({ jobId, payment: null, input: { text: 'again' } })).toMatchObject({
      status: 200,
      json: { output: { text: 'again' } },
    })
  })
})
