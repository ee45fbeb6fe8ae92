import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { stageAgent, type Stage } from '../paid-stage.test-setup.ts'
import { createAdmission, TryLater } from './admission.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { after } from '../staged-request.test-setup.ts'

const INVALID = { kind: 'invalid', reason: 'insufficient_funds', message: '' } as const

const runs = (stage: Stage): number => stage.calls.filter(call => call === 'handler').length

describe('a payer whose own short deadlines ran out', () => {
  async function runOut(stage: Stage, deadlineSeconds: number): Promise<number> {
    const deadline = stage.clock.nowMs() / 1_000 + deadlineSeconds
    return (await after(stage.clock, deadlineSeconds * 1_000 + 100, stage.post({ deadline }))).status
  }

  test('is answered 503 for ten seconds after twenty times, with Retry-After, before any work', async () => {
    const stage = await stageAgent()
    stage.takes(10_000)
    for (let time = 0; time < 20; time += 1) expect(await runOut(stage, 1)).toBe(408)
    const answer = await stage.post()
    expect(answer).toMatchObject({ status: 503, json: { status: 'failed', error_type: 'internal' } })
    expect(answer.headers.get('retry-after')).toBe('10')
    expect(runs(stage)).toBe(20)
    await stage.clock.advance(11_000)
    stage.takes(10)
    expect((await after(stage.clock, 20, stage.post())).status).toBe(200)
  })

  test('still gets its stored responses meanwhile', async () => {
    const stage = await stageAgent()
    const jobId = randomUUID()
    const paid = await stage.post({ jobId })
    stage.takes(10_000)
    for (let time = 0; time < 20; time += 1) await runOut(stage, 1)
    expect((await stage.post()).status).toBe(503)
    expect((await stage.post({ jobId })).text).toBe(paid.text)
  })

  test('is not refused if it gave the time that the agent declares, because then the handler was slow', async () => {
    const stage = await stageAgent()
    stage.takes(200_000)
    for (let time = 0; time < 21; time += 1) expect(await runOut(stage, 60)).toBe(408)
    expect(runs(stage)).toBe(21)
  })
})

describe('a payer whose payments fail', () => {
  test('is refused without asking the facilitator after 250, and admitted at 250 per second', async () => {
    const stage = await stageAgent()
    stage.gate.verifies.push(...Array.from({ length: 250 }, () => INVALID))
    for (let time = 0; time < 250; time += 1) expect((await stage.post()).status).toBe(402)
    stage.calls.length = 0
    const answer = await stage.post()
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(stage.calls).toEqual(['read'])
    await stage.clock.advance(1_000)
    expect((await stage.post()).status).toBe(200)
  })
})

test('a payer that sends only passed deadlines is finally refused without asking the facilitator', async () => {
  const stage = await stageAgent()
  const deadline = stage.clock.nowMs() / 1_000 - 1
  for (let time = 0; time < 250; time += 1) expect((await stage.post({ deadline })).status).toBe(408)
  stage.calls.length = 0
  const answer = await stage.post({ deadline })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
  expect(stage.calls).toEqual(['read'])
})

test('fresh wallets share a limit, and do not evict wallets that have paid', () => {
  const clock = createFakeClock()
  const admission = createAdmission(clock)
  admission.succeeded('0xpaid')
  let refused = 0
  for (let wallet = 0; wallet < 30_000; wallet += 1) {
    try {
      admission.enter(`0x${wallet}`)
    } catch (error) {
      expect(error).toBeInstanceOf(TryLater)
      refused += 1
    }
  }
  expect(refused).toBe(29_700)
  admission.enter('0xpaid')
})

test('after the facilitator limited the rate, only payers with a response here are admitted for a second', async () => {
  const clock = createFakeClock()
  const admission = createAdmission(clock)
  admission.succeeded('0xpaid')
  admission.enter('0xnew')
  admission.facilitatorBusy()
  expect(() => admission.enter('0xnew')).toThrow(TryLater)
  expect(() => admission.enter('0xother')).toThrow(TryLater)
  admission.enter('0xpaid')
  await clock.advance(1_000)
  admission.enter('0xnew')
  admission.enter('0xother')
})

test('a 429 of the facilitator becomes a 503 with Retry-After, not a 500', async () => {
  const stage = await stageAgent()
  stage.gate.verifies.push({ kind: 'unavailable', cause: 'HTTP 429', isBusy: true })
  const answer = await stage.post()
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('1')
  expect(stage.calls).not.toContain('handler')
  // The facilitator is not asked again within the second.
  stage.calls.length = 0
  expect((await stage.post()).status).toBe(503)
  expect(stage.calls).toEqual(['read'])
})

describe('SERVICE_LEAST_DEADLINE_SECONDS (D17)', () => {
  const variables = { SERVICE_LEAST_DEADLINE_SECONDS: '5' }

  test('refuses a new run with less time left with a 408, before any work', async () => {
    const stage = await stageAgent({ variables })
    const answer = await stage.post({ deadline: stage.clock.nowMs() / 1_000 + 4 })
    expect(answer).toMatchObject({
      status: 408,
      json: { error: expect.stringContaining('less than 5 s left') },
    })
    expect(stage.calls).toEqual(['read', 'inquire', 'read'])
    expect((await stage.post({ deadline: stage.clock.nowMs() / 1_000 + 6 })).status).toBe(200)
  })

  test('includes the time limit of the payment', async () => {
    const stage = await stageAgent({ variables })
    const job = await stage.order({ validBefore: Math.floor(stage.clock.nowMs() / 1_000) + 14 })
    expect((await stage.post(job)).status).toBe(408)
  })

  test('does not apply to stored responses and joins', async () => {
    const stage = await stageAgent({ variables })
    stage.takes(2_000)
    const job = await stage.order()
    const first = stage.post(job)
    await stage.clock.advance(100)
    const joined = stage.post({ ...job, deadline: stage.clock.nowMs() / 1_000 + 4 })
    await stage.clock.advance(2_000)
    expect([(await first).status, (await joined).status]).toEqual([200, 200])
    const short = await stage.post({ ...job, deadline: stage.clock.nowMs() / 1_000 + 1 })
    expect(short.status).toBe(200)
  })

  test('applies in dev mode', async () => {
    const stage = await stageAgent({ variables: { ...variables, SERVICE_DEV_MODE: 'true' } })
    const deadline = stage.clock.nowMs() / 1_000 + 4
    expect((await stage.post({ payment: null, deadline })).status).toBe(408)
  })

  test.each(['-1', 'soon', '3601', '1e3'])(
    '%s prevents the start with an error that names the variable',
    async value => {
      await expect(stageAgent({ variables: { SERVICE_LEAST_DEADLINE_SECONDS: value } })).rejects.toThrow(
        /SERVICE_LEAST_DEADLINE_SECONDS/,
      )
    },
  )
})
