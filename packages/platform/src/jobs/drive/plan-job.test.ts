import { expect, test } from 'vitest'
import type { JobRow } from '../records/job-row.ts'
import { planNextDueMs, planJob, usableUntil } from './plan-job.ts'

const SENT_MS = 1_800_000_000_000
const VALID_BEFORE = SENT_MS / 1_000 + 60

function job(changes: Partial<JobRow> = {}): JobRow {
  return {
    runId: undefined,
    jobId: '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c',
    agentId: 1,
    capability: 'count',
    kind: 'caller',
    payer: '0x',
    payTo: '0x',
    amountAtomic: 1n,
    trace: undefined,
    network: 'eip155:84532',
    asset: '0x',
    inputHash: '',
    authorization: {
      from: '',
      to: '',
      value: '1',
      validAfter: '0',
      validBefore: `${VALID_BEFORE}`,
      nonce: '',
    },
    state: 'sent',
    hasExpired: false,
    answer: 'none',
    payment: 'open',
    askingOver: false,
    endpoint: '',
    maxDeadlineSeconds: 10,
    deadline: SENT_MS / 1_000 + 10,
    sealedPayment: 'e30=',
    errorType: undefined,
    error: undefined,
    createdAtMs: SENT_MS,
    attempt: 1,
    orderedAtMs: SENT_MS,
    keepsInput: false,
    expiresAtMs: SENT_MS + 10_000,
    finishedAtMs: undefined,
    elapsedMs: undefined,
    paidAtMs: undefined,
    transaction: undefined,
    blockNumber: undefined,
    responseBody: undefined,
    requestBody: undefined,
    agentName: undefined,
    outputHash: undefined,
    outputProblem: undefined,
    completedAt: undefined,
    chargedWithoutDelivery: false,
    contentsDeletedAtMs: undefined,
    receipt: undefined,
    tokenHashes: [],
    nextDueAtMs: SENT_MS,
    sendings: 1,
    foreignAnswers: 0,
    firstAskedAtMs: SENT_MS,
    hadFairTime: true,
    hasLeft: true,
    isPutOff: false,
    fault: undefined,
    ...changes,
  }
}

test('D8 an unanswered job is sent again until its payment is void by the clock, and no longer', () => {
  const lastMs = (usableUntil(job()) + 10) * 1_000
  expect(planJob(job(), lastMs).ask).toBe(true)
  expect(planJob(job(), lastMs + 1).ask).toBe(false)
  expect(planJob(job({ answer: 'pending' }), lastMs).ask).toBe(true)
})

test('D24 a job that was paid and not delivered is requested for as long as an agent keeps its response', () => {
  const paid = job({ payment: 'paid', paidAtMs: SENT_MS + 500_000 })
  expect(planJob(paid, SENT_MS + 1_100_000)).toEqual({ ask: true, seeChain: false })
  expect(planJob(paid, SENT_MS + 1_100_001)).toEqual({ ask: false, seeChain: false })
})

test('a refused job is sent again only when the chain shows that it was charged', () => {
  expect(planJob(job({ answer: 'failed' }), SENT_MS)).toEqual({ ask: false, seeChain: true })
  expect(planJob(job({ answer: 'failed', payment: 'paid', paidAtMs: SENT_MS }), SENT_MS).ask).toBe(true)
})

test('FLOW-08 the payment of a failed job is checked soon after it can no longer be used', () => {
  const failed = job({ answer: 'failed', elapsedMs: 0 })
  const certainMs = usableUntil(failed) * 1_000
  let nowMs = SENT_MS
  const looks: number[] = []
  while (nowMs <= certainMs) {
    nowMs = planNextDueMs(failed, nowMs) ?? Number.POSITIVE_INFINITY
    looks.push(nowMs)
  }
  expect(looks.at(-1)).toBe(certainMs + 500)
  expect(looks.length).toBeLessThan(40)
})

test('the payment of an order that its agent refused is checked once on the chain, at its end', () => {
  const refused = job({ answer: 'failed', errorType: 'validation', elapsedMs: 0, hasLeft: true })
  expect(planNextDueMs(refused, SENT_MS)).toBe(usableUntil(refused) * 1_000 + 500)
})

test('a payment that its agent refused is also checked once after ten seconds', () => {
  const refused = job({ answer: 'failed', errorType: 'payment', elapsedMs: 100, hasLeft: true })
  expect(planNextDueMs(refused, SENT_MS + 200)).toBe(SENT_MS + 10_200)
  expect(planNextDueMs(refused, SENT_MS + 10_200)).toBe(usableUntil(refused) * 1_000 + 500)
})

test('an agent can delay the next attempt by at most a minute, and by at least half a second', () => {
  const waits = [undefined, 0, 3_000, 86_400_000].map(
    wish => (planNextDueMs(job(), SENT_MS, wish) ?? 0) - SENT_MS,
  )
  expect(waits).toEqual([500, 500, 3_000, 60_000])
  expect((planNextDueMs(job({ sendings: 900 }), SENT_MS) ?? 0) - SENT_MS).toBe(60_000)
})

test('no work is left for a job that is answered and paid, nor for one whose payment is void', () => {
  for (const payment of ['paid', 'dead'] as const) {
    expect(planNextDueMs(job({ answer: 'completed', payment }), SENT_MS)).toBeUndefined()
    expect(
      planNextDueMs(job({ payment, paidAtMs: SENT_MS, askingOver: true }), SENT_MS + 20_000),
    ).toBeUndefined()
  }
  expect(planNextDueMs(job({ payment: 'dead' }), SENT_MS + 10_000)).toBeUndefined()
})
