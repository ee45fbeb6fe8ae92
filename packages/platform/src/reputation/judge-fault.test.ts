import { expect, test } from 'vitest'
import { fairSeconds, leastDeadlineSeconds, secondsLeft } from './fair-deadline.ts'
import { judgeFault, type FailedJob, type Witnesses } from './judge-fault.ts'

const SENT_MS = 1_800_000_000_000

const failure = (changes: Partial<FailedJob> = {}): FailedJob => ({
  state: 'failed',
  answer: 'failed',
  errorType: 'internal',
  chargedWithoutDelivery: false,
  isPaymentBound: true,
  orderedAtMs: SENT_MS,
  firstAskedAtMs: SENT_MS + 100,
  hadFairTime: true,
  isPutOff: false,
  isOrderFair: true,
  ...changes,
})

const quiet: Witnesses = { sawDependencyOutage: async () => false, couldPay: async () => true }

test.each([
  ['internal', failure()],
  ['deadline', failure({ errorType: 'deadline' })],
  ['no answer', failure({ state: 'expired', errorType: undefined })],
])('D43 %s counts against an agent that had its fair time, from a payer who could pay', async (_, job) => {
  expect(await judgeFault(job, quiet)).toBe('agent')
})

test('D43 a failure whose payer could no longer pay counts against the payer', async () => {
  expect(await judgeFault(failure(), { ...quiet, couldPay: async () => false })).toBe('payer')
})

test('D43 an outage that the platform observed counts against no one, and so does a node that does not respond', async () => {
  expect(await judgeFault(failure(), { ...quiet, sawDependencyOutage: async () => true })).toBe('outage')
  expect(await judgeFault(failure(), { ...quiet, couldPay: async () => undefined })).toBe('outage')
})

test('D43 an agent’s refusal of an order counts against no one, whatever it states about the payer', async () => {
  for (const errorType of ['validation', 'capability', 'payment'])
    expect(await judgeFault(failure({ errorType }), quiet)).toBe('refused')
  expect(await judgeFault(failure({ state: 'expired', isPutOff: true }), quiet)).toBe('refused')
})

test('D43 a deadline shorter than the fair time is the order’s fault, and a late send the platform’s', async () => {
  const late = { hadFairTime: false }
  expect(await judgeFault(failure({ ...late, isOrderFair: false }), quiet)).toBe('deadline')
  expect(await judgeFault(failure({ ...late, isOrderFair: true }), quiet)).toBe('unseen')
  expect(await judgeFault(failure({ ...late, state: 'expired', isOrderFair: true }), quiet)).toBe('unseen')
})

test('FLOW-08 a charge without a delivery is the agent’s fault, despite any short deadline or outage', async () => {
  const charged = { chargedWithoutDelivery: true, hadFairTime: false, isOrderFair: false }
  const away: Witnesses = { sawDependencyOutage: async () => true, couldPay: async () => false }
  expect(await judgeFault(failure(charged), away)).toBe('agent')
})

test('a charge with a refused payment that is bound to no job counts against no one: it may have paid another job', async () => {
  const refused = { chargedWithoutDelivery: true, errorType: 'payment' }
  expect(await judgeFault(failure({ ...refused, isPaymentBound: false }), quiet)).toBe('refused')
  expect(await judgeFault(failure({ ...refused, isPaymentBound: true }), quiet)).toBe('agent')
  // Refused after it had expired: the transfer completes it (D35).
  const late = { ...refused, state: 'completed', isPaymentBound: false }
  expect(await judgeFault(failure(late), quiet)).toBe('refused')
  expect(await judgeFault(failure({ ...late, answer: 'completed' }), quiet)).toBe('agent')
  for (const errorType of ['internal', 'deadline', 'validation'])
    expect(
      await judgeFault(failure({ chargedWithoutDelivery: true, isPaymentBound: false, errorType }), quiet),
    ).toBe('agent')
})

test('FLOW-08 a charge does not count against the agent when the platform first asked after the response was deleted', async () => {
  const tooLate = { chargedWithoutDelivery: true, firstAskedAtMs: SENT_MS + 600_001 }
  expect(await judgeFault(failure(tooLate), quiet)).toBe('unseen')
})

test("D17 an order leaves half of the agent's declared time, at most ten seconds", () => {
  expect([0.4, 1, 1.5, 5, 20, 30, 3_600].map(leastDeadlineSeconds)).toEqual([0.2, 0.5, 0.75, 2.5, 10, 10, 10])
})

test('the fair time is nine tenths of the declared time, and a payment that ends early leaves less', () => {
  expect(fairSeconds(10)).toBe(9)
  const deadline = SENT_MS / 1_000 + 10
  expect(secondsLeft({ deadline, validBefore: deadline + 60 }, SENT_MS)).toBe(10)
  expect(secondsLeft({ deadline, validBefore: deadline }, SENT_MS)).toBe(0)
})
