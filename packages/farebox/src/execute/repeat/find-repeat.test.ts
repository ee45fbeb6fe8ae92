import { randomUUID } from 'node:crypto'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { sleep } from '@farebox/protocol/time/clock'
import { describe, expect, test } from 'vitest'
import type { Job } from '../../jobs/job.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import { createMemoryStore } from '../../jobs/memory-store.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { createPorts, stageAgent, type Stage } from '../paid-stage.test-setup.ts'
import { createScriptedGate, FAILED, UNKNOWN } from '../scripted-gate.test-setup.ts'
import { signerOf } from '../staged-payment.test-setup.ts'
import { after, receiptOf, type Answered } from '../staged-request.test-setup.ts'

/** The header that anybody can rebuild from a settled authorization on the chain: the sent one without its salt. */
function withoutSalt(header: string): string {
  const { extensions: _, ...envelope } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    extensions: unknown
  }
  return Buffer.from(JSON.stringify(envelope)).toString('base64')
}

const statuses = (answers: readonly Answered[]): readonly number[] => answers.map(answer => answer.status)

test('D22 a payment is not refused when an earlier request has bought the job while the facilitator was asked', async () => {
  const ports = createPorts()
  const stage = await stageAgent(ports)
  const job = await stage.order()
  const tooLate = await stage.sign({ jobId: job.jobId, validBefore: stage.clock.nowMs() / 1_000 + 5 })
  let first: Promise<Answered> | undefined
  ports.gate.findCharge = async () => {
    await (first = stage.post(job))
    return { kind: 'none' }
  }
  const second = await stage.post({ jobId: job.jobId, payment: tooLate })
  expect(await first).toMatchObject({ status: 200 })
  expect(second).toMatchObject({ status: 200, text: (await first)?.text })
  expect(stage.count('handler')).toBe(1)
})

test('D24 a payment that comes too late is refused while a run past its deadline still goes on', async () => {
  const stage = await stageAgent()
  const job = await stage.order()
  stage.takes(60_000)
  const first = stage.post({ ...job, deadline: stage.clock.nowMs() / 1_000 + 20 })
  await stage.clock.advance(20_000)
  expect(await first).toMatchObject({ status: 408 })
  const tooLate = await stage.sign({ jobId: job.jobId, validBefore: stage.clock.nowMs() / 1_000 + 5 })
  expect(await stage.post({ jobId: job.jobId, payment: tooLate })).toMatchObject({ status: 402 })
})

describe('D22 a repeat of a settled job', () => {
  test('IDM-13 gets the same bytes and receipt, and nothing is verified, run or charged again', async () => {
    const stage = await stageAgent()
    const job = await stage.order()
    const first = await stage.post(job)
    await stage.clock.advance(100_000)
    stage.calls.length = 0
    const again = await stage.post(job)
    expect(again).toMatchObject({ status: 200, text: first.text })
    expect([...again.headers]).toEqual([...first.headers])
    expect(stage.calls).toEqual(['read'])
    expect(stage.logs().filter(line => line.startsWith('payment verified'))).toHaveLength(1)
  })

  test('PAY-15, IDM-14 is answered after its authorization expired, and with a passed deadline', async () => {
    const stage = await stageAgent()
    const job = await stage.order({ validBefore: stage.clock.nowMs() / 1_000 + 60 })
    const first = await stage.post(job)
    await stage.clock.advance(300_000)
    expect(await stage.post({ ...job, deadline: 1 })).toMatchObject({ status: 200, text: first.text })
  })

  test('D40 is refused with a header rebuilt from the chain, because the salt of a bound nonce is not there', async () => {
    const stage = await stageAgent()
    const job = await stage.order()
    await stage.post({ ...job, input: { text: 'sesame' } })
    const rebuilt = withoutSalt(job.payment)
    const answer = await stage.post({ jobId: job.jobId, payment: rebuilt })
    expect(answer).toMatchObject({ status: 402, json: { error: expect.stringContaining('salt') } })
    expect(answer.text).not.toContain('sesame')
    expect((await stage.post(job)).status).toBe(200)
  })

  test('D40 is refused with a bound payment of the same payer for another job', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    await stage.post({ jobId })
    const other = await stage.sign({ jobId: randomUUID() })
    expect((await stage.post({ jobId, payment: other })).status).toBe(402)
  })

  test('D40 is answered for an unbound payment by the job_id alone, which is its only secret', async () => {
    const stage = await stageAgent()
    const job = await stage.order({ unbound: true })
    const first = await stage.post(job)
    expect((await stage.post(job)).text).toBe(first.text)
    expect(stage.calls).not.toContain('inquire')
  })

  test('D40 requires another unbound payment of the payer to be unused, which the facilitator is asked', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    const first = await stage.post({ jobId, payment: await stage.sign({ jobId, unbound: true }) })
    const other = await stage.sign({ jobId, unbound: true })
    const used = { kind: 'settled', transaction: '0x', binding: undefined, ageSeconds: 9 } as const
    stage.gate.inquiries.push(used, { kind: 'unknown', cause: 'no answer' })
    expect((await stage.post({ jobId, payment: other })).status).toBe(402)
    expect((await stage.post({ jobId, payment: other })).status).toBe(503)
    expect((await stage.post({ jobId, payment: other })).text).toBe(first.text)
    expect(stage.gate.charged.size).toBe(1)
  })

  test('D40 is refused with another unbound payment that does not pay this agent, without asking', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    await stage.post({ jobId, payment: await stage.sign({ jobId, unbound: true }) })
    const expired = await stage.sign({ jobId, unbound: true, validBefore: stage.clock.nowMs() / 1_000 - 1 })
    expect((await stage.post({ jobId, payment: expired })).status).toBe(402)
    expect(stage.calls).not.toContain('inquire')
  })

  test('IDM-02 is the same job with another input or capability: nothing runs, nothing is charged', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    const first = await stage.post({ jobId })
    expect((await stage.post({ jobId, input: { text: 'other' } })).text).toBe(first.text)
    expect((await stage.post({ jobId, capability: 'cheap' })).text).toBe(first.text)
    expect([stage.count('handler'), stage.gate.charged.size]).toEqual([1, 1])
  })

  test('IDM-09, D24 is answered for ten minutes after the proof, and no longer', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    stage.gate.settles.push(UNKNOWN, UNKNOWN, UNKNOWN)
    const first = await after(stage.clock, 5_000, stage.post({ jobId }))
    expect(first.status).toBe(200)
    // Settled 1.4 s after the request, so 3.6 s ago.
    await stage.clock.advance(595_000)
    expect((await stage.post({ jobId })).text).toBe(first.text)
    await stage.clock.advance(2_000)
    expect((await stage.post({ jobId })).json['completed_at']).not.toBe(first.json['completed_at'])
    expect([stage.count('handler'), stage.gate.charged.size]).toEqual([2, 2])
  })

  test('PAY-05 is refused by the facilitator after that with the same payment: no free run', async () => {
    const stage = await stageAgent()
    const job = await stage.order({ validBefore: stage.clock.nowMs() / 1_000 + 3_600 })
    await stage.post(job)
    await stage.clock.advance(601_000)
    stage.gate.verifies.push({ kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used', message: '' })
    expect((await stage.post(job)).status).toBe(402)
    expect(stage.count('handler')).toBe(1)
    expect((await stage.post({ jobId: job.jobId })).status).toBe(200)
  })
})

describe('D23 a repeat of a running job', () => {
  test('eight requests with large bodies join it, further ones are answered 503', async () => {
    const stage = await stageAgent()
    stage.takes(2_000)
    const job = await stage.order()
    const input = { text: 'hi', more: 'x'.repeat(70_000) }
    const first = stage.post({ ...job, input })
    await expect.poll(() => stage.count('handler')).toBe(1)
    const answers: Awaited<ReturnType<Stage['post']>>[] = []
    const open = Array.from({ length: 12 }, async () => {
      answers.push(await stage.post({ ...job, input }))
    })
    await expect.poll(() => answers.length).toBe(4)
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 503,
        json: { status: 'pending', error: expect.stringContaining('too many') },
      })
    await stage.clock.advance(2_200)
    expect((await first).status).toBe(200)
    await Promise.all(open)
    expect(statuses(answers.slice(4))).toEqual(Array<number>(8).fill(200))
    expect([stage.count('handler'), stage.gate.charged.size]).toEqual([1, 1])
  })

  test('IDM-04 it also joins a run on another replica', async () => {
    const { clock, store, gate } = createPorts()
    const stages = [await stageAgent({ clock, store, gate }), await stageAgent({ clock, store, gate })]
    for (const stage of stages) stage.takes(2_000)
    const jobId = randomUUID()
    const payment = (await stages[0]?.sign({ jobId })) ?? ''
    const open = stages.map(async stage => await stage.post({ jobId, payment }))
    await clock.advance(2_200)
    const [first, second] = await Promise.all(open)
    expect(second).toMatchObject({ status: 200, text: first?.text })
    expect([stages.reduce((sum, stage) => sum + stage.count('handler'), 0), gate.charged.size]).toEqual([
      1, 1,
    ])
  })

  test('IDM-03 only a joiner with an earlier deadline is answered 408', async () => {
    const stage = await stageAgent()
    stage.takes(5_000)
    const jobId = randomUUID()
    const first = stage.post({ jobId })
    await stage.clock.advance(100)
    const joiner = await after(
      stage.clock,
      2_000,
      stage.post({ jobId, deadline: stage.clock.nowMs() / 1_000 + 2 }),
    )
    expect(joiner).toMatchObject({
      status: 408,
      json: { error: expect.stringContaining('repeat the same job_id with a later deadline') },
    })
    expect((await after(stage.clock, 4_000, first)).status).toBe(200)
  })

  test('decision 3: a joiner with the same deadline as the run gets its result', async () => {
    const stage = await stageAgent()
    stage.takes(1_990)
    stage.gate.settles.push(UNKNOWN)
    const job = await stage.order()
    const deadline = stage.clock.nowMs() / 1_000 + 2
    const open = [stage.post({ ...job, deadline }), stage.post({ ...job, deadline })]
    await stage.clock.advance(3_000)
    expect(statuses(await Promise.all(open))).toEqual([200, 200])
  })

  test('I5 a run whose result is not known in time is pending, not a 408, because it may still charge', async () => {
    const { clock, store } = createPorts()
    let letThrough: (() => void) | undefined
    const slow: JobStore = {
      ...store,
      async write(holder, change) {
        if (letThrough === undefined && change.kind === 'hold' && change.job.state === 'saved') {
          await new Promise<void>(resolve => {
            letThrough = resolve
          })
        }
        return await store.write(holder, change)
      },
    }
    const stage = await stageAgent({ clock, store: slow })
    const job = await stage.order()
    const deadline = clock.nowMs() / 1_000 + 2
    const first = stage.post({ ...job, deadline })
    const joiner = await after(clock, 5_000, stage.post({ ...job, deadline }))
    expect(joiner).toMatchObject({ status: 503, json: { status: 'pending' } })
    letThrough?.()
    expect((await after(clock, 100, first)).status).toBe(200)
  })

  test('a joiner of a failed run runs the job itself', async () => {
    const stage = await stageAgent()
    let run = 0
    stage.work = async () => {
      run += 1
      const first = run === 1
      await new Promise<void>(resolve => {
        stage.clock.after(500, resolve)
      })
      if (first) throw new Error('once')
      return { text: 'then' }
    }
    const job = await stage.order()
    const open = [stage.post(job), stage.post(job)]
    await stage.clock.advance(1_500)
    expect(statuses(await Promise.all(open))).toEqual([500, 200])
    expect(stage.gate.charged.size).toBe(1)
  })

  test('IDM-01 a running job of another payer is refused at once', async () => {
    const stage = await stageAgent()
    stage.takes(2_000)
    const jobId = randomUUID()
    const first = stage.post({ jobId })
    await stage.clock.advance(10)
    const payer = signerOf(await loadEvmCrypto(), 2)
    expect((await stage.post({ jobId, payment: await stage.sign({ jobId, payer }) })).status).toBe(402)
    expect((await after(stage.clock, 2_000, first)).status).toBe(200)
  })

  test('a caller that waits while the first payment fails buys the response with another payment', async () => {
    const stage = await stageAgent()
    stage.takes(1_000)
    stage.gate.settles.push(FAILED)
    const jobId = randomUUID()
    const open = [stage.post({ jobId }), stage.post({ jobId })]
    await stage.clock.advance(1_500)
    expect(statuses(await Promise.all(open)).toSorted((one, other) => one - other)).toEqual([200, 402])
    expect([stage.count('handler'), stage.gate.charged.size]).toEqual([1, 1])
  })
})

describe('IDM-08 a handler that runs past its deadline', () => {
  test('D24 keeps the job held: a retry waits for its end, and runs if it has time left', async () => {
    const stage = await stageAgent()
    stage.takes(40_000)
    const job = await stage.order()
    expect((await after(stage.clock, 30_000, stage.post(job))).status).toBe(408)
    stage.takes(10)
    const retry = stage.post({ ...job, deadline: stage.clock.nowMs() / 1_000 + 20 })
    await stage.clock.advance(9_900)
    expect(stage.count('handler')).toBe(1)
    expect((await after(stage.clock, 200, retry)).status).toBe(200)
    expect([stage.count('handler'), stage.gate.charged.size]).toEqual([2, 1])
  })

  test('DDL-01 a retry that waits until its own deadline is answered 408 then, and not earlier', async () => {
    const stage = await stageAgent()
    stage.takes(40_000)
    const jobId = randomUUID()
    await after(stage.clock, 30_000, stage.post({ jobId }))
    let answer: Answered | undefined
    void stage.post({ jobId, deadline: stage.clock.nowMs() / 1_000 + 5 }).then(told => (answer = told))
    await stage.clock.advance(4_900)
    expect(answer).toBeUndefined()
    await stage.clock.advance(200)
    expect(answer).toMatchObject({
      status: 408,
      json: { error: 'the deadline passed while an earlier attempt at this job was still running' },
    })
    expect(stage.count('handler')).toBe(1)
  })

  test('the job is released after twice the longest deadline', async () => {
    const stage = await stageAgent()
    stage.work = async () => await new Promise(() => undefined)
    const jobId = randomUUID()
    expect((await after(stage.clock, 30_000, stage.post({ jobId }))).status).toBe(408)
    await stage.clock.advance(119_000)
    stage.work = ({ text }) => ({ text })
    expect((await after(stage.clock, 2_000, stage.post({ jobId }))).status).toBe(200)
  })

  test('the reservation is released at once: the handler’s output is never charged', async () => {
    const stage = await stageAgent()
    stage.takes(40_000)
    await after(stage.clock, 30_000, stage.post())
    expect(stage.calls.slice(-2)).toEqual(['hold running', 'release'])
    await stage.clock.advance(60_000)
    expect(stage.gate.charged.size).toBe(0)
  })
})

describe('after the process of a job has died', () => {
  /** Stores a record of another process after the first read of the job and before its claim. */
  function leaveBetween(store: JobStore, jobId: string, job: Job): void {
    const { read } = store
    let looked = false
    store.read = async jobKey => {
      const seen = await read(jobKey)
      if (!looked && jobKey.endsWith(jobId)) {
        looked = true
        await store.claim({ jobKey, fence: 'left', leaseMs: 1, keepMs: 600_000, job })
        await store.write({ jobKey, fence: 'left' }, { kind: 'leave', job, sealed: false, keepMs: 600_000 })
      }
      return seen
    }
  }

  async function savedJob(stage: Stage, jobId: string): Promise<Job> {
    let saved: Job | undefined
    const { write } = stage.store
    stage.store.write = async (holder, change) => {
      if (change.kind === 'hold' && change.job.state === 'saved') saved = change.job
      return await write(holder, change)
    }
    await stage.post({ jobId, input: { text: 'first' } })
    stage.store.write = write
    if (saved === undefined) throw new Error('nothing was saved')
    return saved
  }

  test('I2 a response saved meanwhile is settled with its own payment, not run and charged again', async () => {
    const clock = createFakeClock()
    const gate = createScriptedGate()
    const jobId = randomUUID()
    const earlier = await savedJob(await stageAgent({ clock, gate }), jobId)
    const store = createMemoryStore(clock)
    const stage = await stageAgent({ clock, gate, store })
    leaveBetween(store, jobId, earlier)
    const answer = await after(clock, 200, stage.post({ jobId, input: { text: 'second' } }))
    expect(answer).toMatchObject({ status: 200, json: { output: { text: 'first' } } })
    expect(stage.count('handler')).toBe(0)
    expect(gate.charged.size).toBe(1)
  })

  test('IDM-01 a response of another payer is not sold', async () => {
    const clock = createFakeClock()
    const jobId = randomUUID()
    const store = createMemoryStore(clock)
    const stage = await stageAgent({ clock, store })
    leaveBetween(store, jobId, {
      version: 1,
      state: 'unpaid',
      payer: '0x1111111111111111111111111111111111111111',
      response: '{"secret":1}',
      amount: '10000',
      reason: 'insufficient_funds',
      paymentResponse: 'e30=',
      refusedPayments: [],
    })
    const answer = await stage.post({ jobId })
    expect(answer.status).toBe(402)
    expect(answer.text).not.toContain('secret')
    expect(stage.gate.charged.size).toBe(0)
  })

  test('a run that is taken over has its own deadline: joiners wait for it, and get no false 408', async () => {
    const { clock, store, gate } = createPorts()
    // The first process dies after it has recorded that its handler overran.
    let writes = 0
    const dying: JobStore = {
      ...store,
      write: async (holder, change) =>
        (writes += 1) === 1 ? await store.write(holder, change) : await new Promise<boolean>(() => undefined),
    }
    const first = await stageAgent({ clock, store: dying, gate })
    first.work = async () => await new Promise(() => undefined)
    const second = await stageAgent({ clock, store, gate })
    second.takes(8_000)
    const job = await first.order()
    const late = await after(clock, 2_000, first.post({ ...job, deadline: clock.nowMs() / 1_000 + 2 }))
    expect(late.status).toBe(408)
    await clock.advance(10_000)
    const deadline = clock.nowMs() / 1_000 + 20
    const open = [second.post({ ...job, deadline })]
    await clock.advance(1_000)
    open.push(second.post({ ...job, deadline }))
    await clock.advance(8_000)
    const answers = await Promise.all(open)
    expect(statuses(answers)).toEqual([200, 200])
    expect(answers.map(receiptOf)).toEqual(Array(2).fill(expect.objectContaining({ success: true })))
  })

  test('a failure reported after a pause is rechecked: the job was charged meanwhile', async () => {
    const { clock, store, gate } = createPorts()
    const still: JobStore = {
      ...store,
      async write(holder, change) {
        const held = await store.write(holder, change)
        if (change.kind === 'forget') await sleep(clock, 16_000)
        return held
      },
    }
    const first = await stageAgent({ clock, store: still, gate })
    first.work = () => {
      throw new Error('once')
    }
    const second = await stageAgent({ clock, store, gate })
    const job = await first.order()
    const late = first.post(job)
    await clock.advance(10)
    expect((await second.post(job)).status).toBe(200)
    expect((await after(clock, 17_000, late)).status).toBe(200)
    expect(gate.charged.size).toBe(1)
  })

  test('an overrun noticed late is rechecked: the lease was over, and another process ran the job and charged', async () => {
    const { clock, store, gate } = createPorts()
    let stoodStill = false
    const still: JobStore = {
      ...store,
      async write(holder, change) {
        const held = await store.write(holder, change)
        const overran = change.kind === 'hold' && change.job.state === 'running' && change.job.overran
        if (overran && !stoodStill) {
          stoodStill = true
          await sleep(clock, 40_000)
        }
        return held
      },
    }
    const first = await stageAgent({ clock, store: still, gate })
    first.work = async () => await new Promise(() => undefined)
    const second = await stageAgent({ clock, store, gate })
    const job = await first.order()
    const late = first.post({ ...job, deadline: clock.nowMs() / 1_000 + 2 })
    await clock.advance(30_000)
    const again = second.post({ ...job, deadline: clock.nowMs() / 1_000 + 20 })
    expect((await after(clock, 100, again)).status).toBe(200)
    expect((await after(clock, 20_000, late)).status).toBe(200)
    expect(gate.charged.size).toBe(1)
  })

  test('a refusal that was read slowly is rechecked: another process ran the job and charged since', async () => {
    const { clock, store, gate } = createPorts()
    const slow: JobStore = {
      ...store,
      async read(jobKey) {
        const stored = await store.read(jobKey)
        await sleep(clock, 1_000)
        return stored
      },
    }
    const first = await stageAgent({ clock, store: slow, gate })
    const second = await stageAgent({ clock, store, gate })
    const job = await first.order()
    const refused = first.post({ ...job, deadline: clock.nowMs() / 1_000 - 1 })
    await clock.advance(10)
    expect((await second.post(job)).status).toBe(200)
    expect((await after(clock, 5_000, refused)).status).toBe(200)
    expect(gate.charged.size).toBe(1)
  })

  test('a failure is reported when no other process resumed the job, and the work is not repeated', async () => {
    const { clock, store } = createPorts()
    const slow: JobStore = {
      ...store,
      async write(holder, change) {
        await sleep(clock, 1_000)
        return await store.write(holder, change)
      },
      async read(jobKey) {
        await sleep(clock, 1_000)
        return await store.read(jobKey)
      },
    }
    const stage = await stageAgent({ clock, store: slow })
    let worked = 0
    stage.work = () => {
      worked += 1
      throw new Error('always')
    }
    expect((await after(clock, 20_000, stage.post())).status).toBe(500)
    expect([worked, stage.gate.charged.size]).toEqual([1, 0])
  })

  test('a settlement that another process completes while it is taken over is left unchanged', async () => {
    const { clock, store, gate } = createPorts()
    const stage = await stageAgent({ clock, store, gate, settleWaitMs: 100 })
    const job = await stage.order()
    gate.settles.push(FAILED)
    const earlier = await savedJob(await stageAgent({ clock, gate: createScriptedGate() }), job.jobId)
    await stage.post(job)
    // The read still returns the saved state; the claim finds the record of the other process: unpaid.
    const { read } = store
    store.read = async jobKey => {
      store.read = read
      const seen = await read(jobKey)
      return seen && { held: false, job: earlier }
    }
    const again = await after(clock, 200, stage.post(job))
    expect(again.status).toBe(402)
    expect((await stage.post({ jobId: job.jobId })).status).toBe(200)
    expect(gate.charged.size).toBe(1)
  })
})
