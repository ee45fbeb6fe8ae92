import { randomUUID } from 'node:crypto'
import { ValidationError } from '@farebox/protocol/errors/service-errors'
import { describe, expect, test } from 'vitest'
import type { JobStore } from './job-store.ts'
import { createMemoryStore } from './memory-store.ts'
import { createLeaseKeeper } from './renew-leases.ts'
import { createFakeClock, type FakeClock } from '../testing/fake-clock.ts'
import { stageAgent, type Stage } from '../execute/paid-stage.test-setup.ts'
import { createScriptedGate, type ScriptedGate } from '../execute/scripted-gate.test-setup.ts'
import { after } from '../execute/staged-request.test-setup.ts'

interface Replicas {
  readonly clock: FakeClock
  readonly gate: ScriptedGate
  readonly first: Stage
  readonly second: Stage
  /** While `off` is true, the first replica cannot reach the store. */
  readonly cut: { off: boolean }
}

async function stageReplicas(): Promise<Replicas> {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  const gate = createScriptedGate()
  const cut = { off: false }
  const guarded: JobStore = {
    ...store,
    async write(holder, change) {
      if (cut.off) throw new Error('unreachable')
      return await store.write(holder, change)
    },
  }
  return {
    clock,
    gate,
    cut,
    first: await stageAgent({ clock, gate, store: guarded }),
    second: await stageAgent({ clock, gate, store }),
  }
}

/** Sets a handler that works for this long; with `heeds` it throws when it is aborted. */
function takes(
  stage: Stage,
  ms: number,
  options: { readonly heeds?: boolean; readonly text?: string } = {},
): { readonly told: unknown[] } {
  const told: unknown[] = []
  stage.work = async (_, { signal }) => {
    await new Promise<void>((resolve, reject) => {
      stage.clock.after(ms, resolve)
      signal.addEventListener('abort', () => {
        told.push(signal.reason)
        if (options.heeds === true) reject(new Error('told to stop'))
      })
    })
    return { text: options.text ?? 'done' }
  }
  return { told }
}

/**
 * The first replica begins the job, loses the store until the second one has taken the job over, and then reaches the
 * store again.
 */
async function takeOver({
  clock,
  cut,
  first,
  second,
}: Replicas): Promise<{ readonly answers: readonly ReturnType<Stage['post']>[] }> {
  const jobId = randomUUID()
  const payment = await first.sign({ jobId })
  const deadline = clock.nowMs() / 1_000 + 50
  const one = first.post({ jobId, payment, deadline })
  await clock.advance(1_000)
  cut.off = true
  await clock.advance(12_000)
  const two = second.post({ jobId, payment, deadline })
  await clock.advance(100)
  cut.off = false
  return { answers: [one, two] }
}

describe('D6 a lease', () => {
  test('is renewed while the handler works: a job of a minute stays with its process', async () => {
    const { clock, gate, first, second } = await stageReplicas()
    takes(first, 55_000)
    const jobId = randomUUID()
    const payment = await first.sign({ jobId, validBefore: clock.nowMs() / 1_000 + 300 })
    const deadline = clock.nowMs() / 1_000 + 60
    const one = first.post({ jobId, payment, deadline })
    await clock.advance(30_000)
    const two = second.post({ jobId, payment, deadline })
    await clock.advance(26_000)
    expect((await one).status).toBe(200)
    expect((await two).text).toBe((await one).text)
    expect(second.calls).not.toContain('claim')
    expect(gate.charged.size).toBe(1)
  })

  test('that is lost aborts the handler; its output is dropped, and the other process’s response is sent', async () => {
    const replicas = await stageReplicas()
    const { clock, gate, first, second } = replicas
    const { told } = takes(first, 30_000, { text: 'of the first' })
    takes(second, 10_000, { text: 'of the second' })
    const { answers } = await takeOver(replicas)
    await clock.advance(5_000)
    expect(told).toEqual([
      expect.objectContaining({ message: 'the lease was lost: another process has this job' }),
    ])
    await clock.advance(20_000)
    const [one, two] = await Promise.all(answers)
    expect(two).toMatchObject({ status: 200, json: { output: { text: 'of the second' } } })
    expect(one).toMatchObject({ status: 200, text: two?.text })
    expect(gate.charged.size).toBe(1)
  })

  test('that is lost causes no failure when the handler aborts, because the other process may be charging', async () => {
    const replicas = await stageReplicas()
    const { clock, gate, first, second } = replicas
    takes(first, 30_000, { heeds: true })
    takes(second, 10_000, { text: 'of the second' })
    const { answers } = await takeOver(replicas)
    await clock.advance(15_000)
    const [one, two] = await Promise.all(answers)
    expect([one?.status, two?.status]).toEqual([200, 200])
    expect(gate.charged.size).toBe(1)
  })

  test('that is lost without notice causes no reported failure either', async () => {
    const replicas = await stageReplicas()
    const { clock, gate, first, second } = replicas
    first.work = async () => {
      await new Promise<void>(resolve => {
        clock.after(13_150, resolve)
      })
      throw new ValidationError('city', 'is not known')
    }
    takes(second, 10_000, { text: 'of the second' })
    const { answers } = await takeOver(replicas)
    await clock.advance(15_000)
    const [one, two] = await Promise.all(answers)
    expect([one?.status, two?.status]).toEqual([200, 200])
    expect(
      first.calls.filter(call => call === 'release'),
      'the other holds the same reservation',
    ).toEqual([])
    expect(gate.charged.size).toBe(1)
  })

  test('I6 that has ended by the process’s clock is checked in the store before the handler begins', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    const gate = createScriptedGate()
    const cut = { off: true }
    const unreachable: JobStore = {
      ...store,
      write: async (holder, change) => {
        if (cut.off) throw new Error('the store does not answer')
        return await store.write(holder, change)
      },
    }
    let verified: (() => void) | undefined
    const slowGate = createScriptedGate()
    slowGate.verify = async () => {
      await new Promise<void>(resolve => {
        verified = resolve
      })
      return { kind: 'valid', hold: undefined }
    }
    const first = await stageAgent({ clock, store: unreachable, gate: slowGate })
    const second = await stageAgent({ clock, store, gate })
    const jobId = randomUUID()
    const payment = await first.sign({ jobId })
    const still = first.post({ jobId, payment })
    await clock.advance(11_000)
    const told = await second.post({ jobId, payment })
    expect(told.status).toBe(200)
    cut.off = false
    verified?.()
    expect(await after(clock, 0, still)).toMatchObject({ status: 200, text: told.text })
    expect(first.calls).not.toContain('handler')
  })

  test('that is renewed never overwrites a newer record', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    let letThrough: (() => void) | undefined
    const slow: JobStore = {
      ...store,
      async write(holder, change) {
        if (letThrough === undefined && change.kind === 'hold' && change.job.state === 'running') {
          await new Promise<void>(resolve => {
            letThrough = resolve
          })
        }
        return await store.write(holder, change)
      },
    }
    const stage = await stageAgent({ clock, store: slow })
    takes(stage, 4_000)
    const jobId = randomUUID()
    const answer = stage.post({ jobId })
    // The renewal at 3.3 s is still in progress when the response is saved.
    await clock.advance(4_500)
    letThrough?.()
    expect((await after(clock, 100, answer)).status).toBe(200)
    expect((await stage.post({ jobId })).text).toBe((await answer).text)
    expect(stage.calls.filter(call => call === 'handler')).toHaveLength(1)
  })
})

describe('D25 a store that fails', () => {
  /** Fails the given calls of a method, before or after they took effect. */
  function failingAt(
    store: JobStore,
    method: 'claim' | 'read' | 'write',
    calls: readonly number[],
    when: 'before' | 'after',
  ): JobStore {
    let count = 0
    const guard = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
      if (name !== method) return await call()
      count += 1
      if (!calls.includes(count)) return await call()
      if (when === 'after') await call()
      throw new Error('redis://user:sentinel@host does not answer')
    }
    return {
      claim: claim => guard('claim', async () => await store.claim(claim)),
      read: jobKey => guard('read', async () => await store.read(jobKey)),
      write: (holder, change) => guard('write', async () => await store.write(holder, change)),
      unresolved: () => store.unresolved(),
    }
  }

  async function stageFailing(
    method: 'claim' | 'read' | 'write',
    calls: readonly number[],
    when: 'before' | 'after' = 'before',
  ): Promise<Stage> {
    const clock = createFakeClock()
    return await stageAgent({ clock, store: failingAt(createMemoryStore(clock), method, calls, when) })
  }

  // An earlier attempt with the same payment may be charging it, and a request does not show whether it is the first
  // (D25).
  test.each([
    ['read', 'before'],
    ['claim', 'before'],
    ['claim', 'after'],
  ] as const)('IDM-11 at %s (%s): 503 pending, nothing run, nothing charged', async (method, when) => {
    const stage = await stageFailing(method, [1], when)
    const jobId = randomUUID()
    const payment = await stage.sign({ jobId })
    const answer = await stage.post({ jobId, payment })
    expect(answer).toMatchObject({ status: 503, json: { status: 'pending' } })
    expect(answer.text).not.toContain('sentinel')
    expect(stage.calls).not.toContain('verify')
    // Whether the claim took effect or not, the job is free when its lease has ended.
    expect((await after(stage.clock, 11_000, stage.post({ jobId, payment }))).status).toBe(200)
    expect(stage.gate.charged.size).toBe(1)
  })

  test.each(['before', 'after'] as const)(
    'at the save (%s), with the record undone: 500, not charged, the reservation released',
    async when => {
      const stage = await stageFailing('write', [1], when)
      const jobId = randomUUID()
      expect((await stage.post({ jobId })).status).toBe(500)
      expect(stage.calls.slice(-4)).toEqual(['hold saved', 'forget', 'read', 'release'])
      await stage.clock.advance(60_000)
      expect(stage.gate.charged.size).toBe(0)
      expect((await stage.post({ jobId })).status).toBe(200)
    },
  )

  test('when the record cannot be undone: pending, as the outcome is unknown, and the reservation is kept', async () => {
    const stage = await stageFailing('write', [1, 2])
    const jobId = randomUUID()
    const payment = await stage.sign({ jobId })
    expect(await stage.post({ jobId, payment })).toMatchObject({ status: 503, json: { status: 'pending' } })
    expect(stage.calls).not.toContain('release')
    await stage.clock.advance(30_000)
    expect((await stage.post({ jobId, payment, deadline: stage.clock.nowMs() / 1_000 + 20 })).status).toBe(
      200,
    )
    expect(stage.gate.charged.size).toBe(1)
  })

  test('although it saved, without the record undone: the settlement completes, and the repeat is served', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore(clock)
    let writes = 0
    const stage = await stageAgent({
      clock,
      store: {
        ...store,
        async write(holder, change) {
          writes += 1
          if (writes === 1) await store.write(holder, change)
          if (writes <= 2) throw new Error('unreachable')
          return await store.write(holder, change)
        },
      },
    })
    const jobId = randomUUID()
    const payment = await stage.sign({ jobId })
    expect((await stage.post({ jobId, payment })).status).toBe(503)
    await clock.advance(20_000)
    expect(stage.gate.charged.size).toBe(1)
    expect((await stage.post({ jobId, payment })).status).toBe(200)
    expect(stage.calls.filter(call => call === 'handler')).toHaveLength(1)
  })

  test('keeps a response available when its new payment cannot be saved', async () => {
    const stage = await stageFailing('write', [3])
    const jobId = randomUUID()
    stage.gate.settles.push({ kind: 'failed', reason: 'insufficient_funds', message: '', transaction: '' })
    const refused = await stage.sign({ jobId })
    expect((await stage.post({ jobId, payment: refused })).status).toBe(402)
    expect((await stage.post({ jobId })).status).toBe(500)
    expect((await stage.post({ jobId, payment: refused })).status).toBe(402)
    expect((await stage.post({ jobId })).status).toBe(200)
    expect(stage.calls.filter(call => call === 'handler')).toHaveLength(1)
  })
})

test('a renewal that waits for its store does not delay the renewals of other jobs', async () => {
  const clock = createFakeClock()
  const renewed: string[] = []
  const keeper = createLeaseKeeper(
    {
      ...createMemoryStore(clock),
      async write({ jobKey }) {
        renewed.push(jobKey)
        return jobKey === 'stuck' ? await new Promise<boolean>(() => undefined) : true
      },
    },
    clock,
  )
  for (const jobKey of ['stuck', 'other'])
    keeper.hold({ jobKey, fence: 'f' }, { state: 'running' } as never, clock.nowMs())
  await clock.advance(10_000)
  expect(renewed.filter(jobKey => jobKey === 'stuck')).toHaveLength(1)
  expect(renewed.filter(jobKey => jobKey === 'other').length).toBeGreaterThanOrEqual(2)
  keeper.stop()
})
