import { randomUUID } from 'node:crypto'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../jobs/memory-store.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import type { ChargeOutcome } from '../../payment-gate/payment-gate.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { createPorts, stageAgent, type Stage } from '../paid-stage.test-setup.ts'
import { FAILED } from '../scripted-gate.test-setup.ts'
import { signerOf } from '../staged-payment.test-setup.ts'
import { after, receiptOf } from '../staged-request.test-setup.ts'

// D40: the record of a job is lost, and its payment was charged.

const TRANSACTION = `0x${'ab'.repeat(32)}`
const USED = { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used', message: 'used' } as const

/** A charge of this age in seconds; without a binding only the nonce names the job. */
function chargedAgo(ageSeconds: number, binding?: string): ChargeOutcome {
  return { kind: 'settled', transaction: TRANSACTION, binding, ageSeconds }
}

function refusedAsUsed(stage: Stage, charge: ChargeOutcome): void {
  stage.gate.verifies.push({ ...USED, charge })
}

const runs = (stage: Stage): number => stage.calls.filter(call => call === 'handler').length

describe('a payment that was charged for this job, and that the facilitator refuses as used', () => {
  test('I4 has its job run again and delivered with the receipt of that charge, without a new charge', async () => {
    const stage = await stageAgent()
    refusedAsUsed(stage, chargedAgo(30))
    const answer = await stage.post()
    expect(answer).toMatchObject({ status: 200, json: { output: { text: 'hi' } } })
    expect(receiptOf(answer)).toMatchObject({ success: true, transaction: TRANSACTION, amount: '10000' })
    expect([runs(stage), stage.gate.charged.size]).toEqual([1, 0])
  })

  test('I2 has only one run: its repeats get the same bytes for ten minutes', async () => {
    const stage = await stageAgent()
    refusedAsUsed(stage, chargedAgo(30))
    const job = await stage.order()
    const first = await stage.post(job)
    await stage.clock.advance(595_000)
    expect((await stage.post(job)).text).toBe(first.text)
    expect(runs(stage)).toBe(1)
  })

  test('I1 buys no other run after ten minutes: 402 names the transaction', async () => {
    const stage = await stageAgent()
    refusedAsUsed(stage, chargedAgo(590))
    const answer = await stage.post()
    expect(answer).toMatchObject({ status: 402, json: { error: expect.stringContaining(TRANSACTION) } })
    expect([runs(stage), stage.gate.charged.size]).toEqual([0, 0])
  })

  test('is answered 503 while its settlement is in progress, and never with a failure', async () => {
    const stage = await stageAgent({ variables: { SERVICE_PUBLIC_URL: 'http://agent.test' } })
    refusedAsUsed(stage, { kind: 'pending', binding: '0x' })
    const answer = await stage.post()
    expect(answer).toMatchObject({ status: 503, json: { status: 'pending' } })
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(runs(stage)).toBe(0)
  })

  test('is answered 503 when its outcome is unknown', async () => {
    const stage = await stageAgent()
    refusedAsUsed(stage, { kind: 'unknown', cause: 'no answer' })
    expect((await stage.post()).status).toBe(503)
  })

  test.each([
    [
      'fails',
      () => {
        throw new Error('once')
      },
    ],
    ['returns what its schema refuses', () => ({ text: 1 })],
  ])('I5 is answered 503 with the transaction when the run %s, and tried again', async (_, work) => {
    const stage = await stageAgent()
    stage.work = work
    const job = await stage.order()
    refusedAsUsed(stage, chargedAgo(30))
    const first = await stage.post(job)
    expect(first).toMatchObject({ status: 503, json: { error: expect.stringContaining(TRANSACTION) } })
    stage.work = ({ text }) => ({ text })
    refusedAsUsed(stage, chargedAgo(40))
    expect((await stage.post(job)).status).toBe(200)
  })

  test('I6 is run by one of two replicas that get it concurrently, and delivered by both', async () => {
    const { clock, store, gate } = createPorts()
    const stages = [await stageAgent({ clock, store, gate }), await stageAgent({ clock, store, gate })]
    gate.verifies.push({ ...USED, charge: chargedAgo(5) })
    const jobId = randomUUID()
    const payment = (await stages[0]?.sign({ jobId })) ?? ''
    for (const stage of stages)
      stage.work = async ({ text }) => {
        await new Promise<void>(resolve => void clock.after(500, resolve))
        return { text }
      }
    const open = stages.map(async stage => await stage.post({ jobId, payment }))
    await clock.advance(1_000)
    const answers = await Promise.all(open)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(stages.reduce((sum, stage) => sum + runs(stage), 0)).toBe(1)
  })
})

describe('a payment whose job_id another payer has taken since its record was lost', () => {
  const TAKEN = 'this job_id is in use by another payer'
  const stageTaken = async (): Promise<{ stage: Stage; jobId: string; other: string }> => {
    const stage = await stageAgent({ variables: { SERVICE_PUBLIC_URL: 'http://agent.test' } })
    const jobId = randomUUID()
    const payer = signerOf(await loadEvmCrypto(), 2)
    return { stage, jobId, other: await stage.sign({ jobId, payer }) }
  }

  test.each<readonly [string, ChargeOutcome, object]>([
    ['was not charged', { kind: 'none' }, { status: 402, json: { error: TAKEN } }],
    ['was charged', chargedAgo(30), { status: 402, json: { error: expect.stringContaining(TRANSACTION) } }],
    ['is being charged', { kind: 'pending', binding: '0x' }, { status: 503 }],
    ['may have been charged', { kind: 'unknown', cause: 'no answer' }, { status: 503 }],
  ])('I5 and that %s, when the job is sold to the other', async (_, charge, expected) => {
    const { stage, jobId, other } = await stageTaken()
    expect((await stage.post({ jobId, payment: other })).status).toBe(200)
    stage.gate.inquiries.push(charge)
    expect(await stage.post({ jobId })).toMatchObject(expected)
    expect([runs(stage), stage.gate.charged.size]).toEqual([1, 1])
  })

  test('I5 and that was charged is answered 503 while the other is not charged, and delivered when it never is', async () => {
    const { stage, jobId, other } = await stageTaken()
    let fail: (error: Error) => void = () => undefined
    const started = new Promise<void>(resolve => {
      stage.work = async () => {
        resolve()
        return await new Promise<never>((__, reject) => void (fail = reject))
      }
    })
    const open = stage.post({ jobId, payment: other })
    await started
    const job = { jobId, payment: await stage.sign({ jobId }) }
    stage.gate.inquiries.push(chargedAgo(30))
    const during = await stage.post(job)
    expect(during).toMatchObject({ status: 503, json: { error: expect.stringContaining(TRANSACTION) } })
    fail(new Error('once'))
    expect((await open).status).toBe(500)
    stage.work = ({ text }) => ({ text })
    refusedAsUsed(stage, chargedAgo(40))
    expect((await stage.post(job)).status).toBe(200)
    expect(stage.gate.charged.size).toBe(0)
  })

  test('I5 and that was charged is delivered, when the response for the other was made and never paid', async () => {
    const { stage, jobId, other } = await stageTaken()
    stage.gate.settles.push(FAILED)
    expect((await stage.post({ jobId, payment: other })).status).toBe(402)
    const job = { jobId, payment: await stage.sign({ jobId }) }
    const charge = chargedAgo(30)
    stage.gate.inquiries.push(charge, charge)
    expect((await stage.post(job)).status).toBe(200)
    expect([runs(stage), stage.gate.charged.size]).toEqual([2, 0])
  })
})

describe('the job that a charge belongs to', () => {
  test('is named by a bound nonce, if the agent knows its URL, whatever binding the facilitator reports', async () => {
    const stage = await stageAgent({ variables: { SERVICE_PUBLIC_URL: 'http://agent.test' } })
    refusedAsUsed(stage, chargedAgo(5, 'of an agent that had another name'))
    expect((await stage.post()).status).toBe(200)
  })

  test('I1 is decided by the facilitator when the caller chooses the URL: a charge of another agent is a 402', async () => {
    const stage = await stageAgent()
    refusedAsUsed(stage, chargedAgo(5, 'of another agent of this wallet'))
    expect((await stage.post()).status).toBe(402)
    expect(runs(stage)).toBe(0)
    refusedAsUsed(stage, chargedAgo(5))
    expect((await stage.post()).status).toBe(200)
  })

  test('PAY-05 is unknown for an unbound payment when only the chain shows the charge: 402, no run', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    refusedAsUsed(stage, chargedAgo(5))
    const answer = await stage.post({ jobId, payment: await stage.sign({ jobId, unbound: true }) })
    expect(answer).toMatchObject({ status: 402, json: { error: 'used' } })
    expect(runs(stage)).toBe(0)
  })

  test('is decided by the facilitator for an unbound payment: another job is answered 402', async () => {
    const stage = await stageAgent()
    const job = await stage.order({ unbound: true })
    let asked = ''
    const { verify } = stage.gate
    stage.gate.verify = (one, terms) => {
      asked = terms.binding
      return verify(one, terms)
    }
    refusedAsUsed(stage, chargedAgo(5, `0x${'00'.repeat(32)}`))
    expect((await stage.post(job)).status).toBe(402)
    refusedAsUsed(stage, chargedAgo(5, asked))
    expect((await stage.post(job)).status).toBe(200)
  })
})

describe('before a payment is refused as too late, the facilitator is asked whether it was charged', () => {
  test('a passed deadline is then no 408: the job runs for the time that the agent declares', async () => {
    const stage = await stageAgent()
    stage.gate.inquiries.push(chargedAgo(20), chargedAgo(20))
    stage.work = (input, { signal }) => ({ text: signal.aborted ? 'late' : String(input['text']) })
    const answer = await stage.post({ deadline: stage.clock.nowMs() / 1_000 - 1 })
    expect(answer).toMatchObject({ status: 200, json: { output: { text: 'hi' } } })
    expect(stage.calls).toEqual(['read', 'inquire', 'claim', 'inquire', 'handler', 'leave settled'])
  })

  test('an authorization that expired only because the clock was changed is not answered 402', async () => {
    const stage = await stageAgent()
    stage.gate.inquiries.push(chargedAgo(20), chargedAgo(20))
    const jobId = randomUUID()
    const validBefore = stage.clock.nowMs() / 1_000 - 7_200
    expect((await stage.post({ jobId, payment: await stage.sign({ jobId, validBefore }) })).status).toBe(200)
  })

  test('the facilitator is asked again under the claim: a job that was delivered meanwhile is not run again', async () => {
    const stage = await stageAgent()
    stage.gate.inquiries.push(chargedAgo(589), chargedAgo(600))
    const answer = await stage.post({ deadline: stage.clock.nowMs() / 1_000 - 1 })
    expect(answer).toMatchObject({ status: 402, json: { error: expect.stringContaining(TRANSACTION) } })
    expect(runs(stage)).toBe(0)
  })

  test('a facilitator that does not answer causes a 503 instead of a 408', async () => {
    const stage = await stageAgent()
    stage.gate.inquiries.push({ kind: 'unknown', cause: 'no answer' })
    expect((await stage.post({ deadline: stage.clock.nowMs() / 1_000 - 1 })).status).toBe(503)
  })

  test('the refusal is sent when the facilitator reports no charge', async () => {
    const stage = await stageAgent()
    expect((await stage.post({ deadline: stage.clock.nowMs() / 1_000 - 1 })).status).toBe(408)
    expect(stage.calls).toEqual(['read', 'inquire', 'read'])
  })

  test('a job that was taken up during the question is answered with its result', async () => {
    const stage = await stageAgent()
    const job = await stage.order()
    const { findCharge } = stage.gate
    stage.gate.findCharge = async (one, terms) => {
      await new Promise<void>(resolve => void stage.clock.after(1_000, resolve))
      return await findCharge(one, terms)
    }
    const late = stage.post({ ...job, deadline: stage.clock.nowMs() / 1_000 - 1 })
    await stage.clock.advance(500)
    expect((await stage.post(job)).status).toBe(200)
    expect((await after(stage.clock, 600, late)).status).toBe(200)
  })

  test('a payment to another wallet, or bound to another job, is refused without asking', async () => {
    const stage = await stageAgent()
    const payment = await stage.sign({ jobId: randomUUID() })
    expect((await stage.post({ payment, deadline: stage.clock.nowMs() / 1_000 - 1 })).status).toBe(402)
    expect(stage.calls).toEqual(['read'])
  })
})

test('D40 a store that lost its data during a settlement: the charged job is pending, then delivered', async () => {
  const clock = createFakeClock()
  let store: JobStore = createMemoryStore(clock)
  const current: JobStore = {
    claim: claim => store.claim(claim),
    read: jobKey => store.read(jobKey),
    write: (holder, change) => store.write(holder, change),
    unresolved: () => store.unresolved(),
  }
  const stage = await stageAgent({ clock, store: current, settleWaitMs: 100 })
  const job = await stage.order()
  stage.gate.settles.push({ kind: 'unknown', cause: 'scripted' })
  expect((await after(clock, 150, stage.post(job))).status).toBe(503)
  store = createMemoryStore(clock)
  await clock.advance(1_000)
  expect(stage.gate.charged.size).toBe(1)
  refusedAsUsed(stage, chargedAgo(1))
  expect((await stage.post(job)).status).toBe(200)
  expect(stage.gate.charged.size).toBe(1)
})

test('I4 a record that the store wrote without saying so is not forgotten, and delivered to the repeat', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore(clock)
  let isSilent = true
  const current: JobStore = {
    claim: claim => store.claim(claim),
    read: jobKey => store.read(jobKey),
    async write(holder, change) {
      const written = await store.write(holder, change)
      if (isSilent) throw new Error('no answer')
      return written
    },
    unresolved: () => store.unresolved(),
  }
  const stage = await stageAgent({ clock, store: current })
  const job = await stage.order()
  refusedAsUsed(stage, chargedAgo(1))
  const first = await stage.post(job)
  expect(first).toMatchObject({ status: 503, json: { error: expect.stringContaining(TRANSACTION) } })
  isSilent = false
  expect((await stage.post(job)).status).toBe(200)
  expect(runs(stage)).toBe(1)
})

test('DDL-02 a verdict after the deadline: 408 at the deadline, and the hold is released', async () => {
  const stage = await stageAgent()
  const job = await stage.order()
  const { verify } = stage.gate
  stage.gate.verify = async (one, terms) => {
    await new Promise<void>(resolve => void stage.clock.after(3_500, resolve))
    return await verify(one, terms)
  }
  const answer = stage.post({ ...job, deadline: stage.clock.nowMs() / 1_000 + 2 })
  expect(await after(stage.clock, 2_000, answer)).toMatchObject({
    status: 408,
    json: { error: 'the payment was not verified before the deadline' },
  })
  expect(stage.calls).not.toContain('release')
  stage.gate.verify = verify
  const retry = stage.post(job)
  await stage.clock.advance(1_600)
  // The hold is released before the retry verifies the payment again.
  expect(stage.calls.filter(call => call === 'release' || call === 'verify')).toEqual([
    'verify',
    'release',
    'verify',
  ])
  expect((await after(stage.clock, 100, retry)).status).toBe(200)
})
