import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { JobStore } from '../jobs/job-store.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createFakeClock, type FakeClock } from '../testing/fake-clock.ts'
import { createPorts, stageAgent, type Stage } from './paid-stage.test-setup.ts'
import { UNKNOWN } from './scripted-gate.test-setup.ts'
import { after } from './staged-request.test-setup.ts'

// decision 16: a failure states that nothing was charged and nothing will be. A process that cannot know answers
// pending.

type Method = 'claim' | 'read' | 'write'

/** A store for which the given calls of a method fail. */
function failingAt(store: JobStore, method: Method, calls: readonly number[]): JobStore {
  let count = 0
  const guard = async <T>(name: Method, call: () => Promise<T>): Promise<T> => {
    if (name !== method) return await call()
    count += 1
    if (!calls.includes(count)) return await call()
    throw new Error('the store does not answer')
  }
  return {
    claim: claim => guard('claim', async () => await store.claim(claim)),
    read: jobKey => guard('read', async () => await store.read(jobKey)),
    write: (holder, change) => guard('write', async () => await store.write(holder, change)),
    unresolved: () => store.unresolved(),
  }
}

/** A barrier that blocks a call until the test opens it. */
function createBarrier(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open: () => open() }
}

describe('D8, D25 a job whose record cannot be read', () => {
  test('is pending for a repeat, because its payment may be charged at this moment', async () => {
    const clock = createFakeClock()
    const store = failingAt(createMemoryStore(clock), 'read', [2])
    const stage = await stageAgent({ clock, store, settleWaitMs: 100 })
    const job = await stage.order()
    stage.gate.settles.push(UNKNOWN)
    expect((await after(clock, 150, stage.post(job))).status).toBe(503)
    expect(await stage.post(job)).toMatchObject({ status: 503, json: { status: 'pending' } })
    await clock.advance(1_000)
    expect((await stage.post(job)).status).toBe(200)
  })

  test('is pending while the store fails, because a first request cannot be distinguished from a repeat', async () => {
    const clock = createFakeClock()
    const stage = await stageAgent({ clock, store: failingAt(createMemoryStore(clock), 'read', [1]) })
    const answer = await stage.post()
    expect(answer).toMatchObject({ status: 503, json: { status: 'pending' } })
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(stage.calls).toEqual(['read'])
    expect(stage.logs().join('\n')).toMatch(/^warning: the job store failed before the job was claimed/m)
  })

  test('is answered 500 in dev mode, where nothing is ever charged', async () => {
    const clock = createFakeClock()
    const stage = await stageAgent({
      clock,
      store: failingAt(createMemoryStore(clock), 'read', [1]),
      variables: { SERVICE_DEV_MODE: 'true' },
    })
    expect((await stage.post({ payment: null })).status).toBe(500)
    expect(stage.calls).toEqual(['read'])
  })

  test.each([{ payment: null }, { payment: '!!!!' }])(
    'I8 is not read for a caller without a proven payment: %j is a 402',
    async asked => {
      const clock = createFakeClock()
      const stage = await stageAgent({ clock, store: failingAt(createMemoryStore(clock), 'read', [1]) })
      expect((await stage.post(asked)).status).toBe(402)
      expect(stage.calls).toEqual([])
    },
  )
})

describe('I5 a job is looked up again before a refusal is sent', () => {
  /** Two replicas; the first read of the second replica returns only when the barrier opens. */
  async function stageSlowReader(): Promise<{
    readonly clock: FakeClock
    readonly first: Stage
    readonly second: Stage
    readonly barrier: ReturnType<typeof createBarrier>
  }> {
    const { clock, store, gate } = createPorts()
    const barrier = createBarrier()
    const slow: JobStore = {
      ...store,
      async read(jobKey) {
        const seen = await store.read(jobKey)
        await barrier.opened
        return seen
      },
    }
    const first = await stageAgent({ clock, store, gate })
    return { clock, first, second: await stageAgent({ clock, store: slow, gate }), barrier }
  }

  test('a deadline that passes during the read is no 408 when the job was paid meanwhile', async () => {
    const { clock, first, second, barrier } = await stageSlowReader()
    const job = await first.order()
    const deadline = clock.nowMs() / 1_000 + 2
    const late = second.post({ ...job, deadline })
    await clock.advance(0)
    expect((await first.post({ ...job, deadline })).status).toBe(200)
    await clock.advance(3_000)
    barrier.open()
    expect((await after(clock, 0, late)).status).toBe(200)
    expect(first.gate.charged.size).toBe(1)
  })

  test('a payment that expires meanwhile is not answered 402 when the job was charged', async () => {
    const { clock, first, second, barrier } = await stageSlowReader()
    const job = await first.order({ validBefore: Math.floor(clock.nowMs() / 1_000) + 20 })
    const late = second.post(job)
    await clock.advance(0)
    expect((await first.post(job)).status).toBe(200)
    await clock.advance(30_000)
    barrier.open()
    expect((await after(clock, 0, late)).status).toBe(200)
  })

  test('a deadline that passes before the claim of a free job is a 408 if the facilitator knows no charge', async () => {
    const { clock, second, barrier } = await stageSlowReader()
    const late = second.post({ deadline: clock.nowMs() / 1_000 + 2 })
    await clock.advance(3_000)
    barrier.open()
    expect((await after(clock, 0, late)).status).toBe(408)
    expect(second.calls).toEqual(['read', 'claim', 'inquire', 'forget'])
  })

  test('a process that lost its lease charges nothing after another process reported a failure', async () => {
    const { clock, store, gate } = createPorts()
    const barrier = createBarrier()
    const cutOff: JobStore = {
      ...store,
      async write(holder, change) {
        await barrier.opened
        return await store.write(holder, change)
      },
    }
    const first = await stageAgent({ clock, store: cutOff, gate })
    first.takes(12_000)
    const second = await stageAgent({ clock, store, gate })
    const job = await first.order()
    const running = first.post({ ...job, deadline: clock.nowMs() / 1_000 + 13 })
    await clock.advance(11_000)
    const refused = await second.post({ ...job, deadline: clock.nowMs() / 1_000 - 1 })
    expect(refused).toMatchObject({ status: 408, json: { error: 'the deadline has passed' } })
    await clock.advance(4_000)
    barrier.open()
    expect((await after(clock, 1_000, running)).status).toBe(408)
    await clock.advance(60_000)
    expect(gate.charged.size).toBe(0)
  })

  test('a response that waits for payment is kept when a request is refused', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    stage.gate.settles.push({ kind: 'failed', reason: 'insufficient_funds', message: '', transaction: '' })
    expect((await stage.post({ jobId })).status).toBe(402)
    expect((await stage.post({ jobId, deadline: stage.clock.nowMs() / 1_000 - 1 })).status).toBe(408)
    expect((await stage.post({ jobId })).status).toBe(200)
    expect(stage.count('handler')).toBe(1)
  })
})

describe('D25 a failed job that the store does not release', () => {
  test('is pending: the hold may be lost, and another process may be about to charge', async () => {
    const clock = createFakeClock()
    const stage = await stageAgent({ clock, store: failingAt(createMemoryStore(clock), 'write', [1]) })
    expect((await stage.post({ input: { text: ''.padEnd(21, 'x') } })).status).toBe(503)
    expect(stage.calls).toEqual(['read', 'claim', 'verify', 'forget'])
  })
})
