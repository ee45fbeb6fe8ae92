import { expect, test } from 'vitest'
import {
  isCharged,
  mergePaymentStatus,
  stateOf,
  weigh,
  type AnswerState,
  type JobState,
  type PaymentStatus,
} from './states.ts'

const ANSWERS: readonly AnswerState[] = ['none', 'pending', 'failed', 'completed']
const PAYMENT_STATUSES: readonly PaymentStatus[] = ['open', 'paid', 'dead']

const IN_TIME = { isOverdue: false, hasExpired: false }
const OVERDUE = { isOverdue: true, hasExpired: false }
const EXPIRED = { isOverdue: true, hasExpired: true }
const TIMES = [IN_TIME, OVERDUE, EXPIRED]

/** The states in time, overdue, and marked expired before, for each answer and payment status. */
const TABLE: {
  readonly [said in AnswerState]: {
    readonly [status in PaymentStatus]: readonly [JobState, JobState, JobState]
  }
} = {
  none: {
    open: ['sent', 'expired', 'expired'],
    paid: ['completed', 'completed', 'completed'],
    dead: ['sent', 'expired', 'expired'],
  },
  pending: {
    open: ['pending', 'pending', 'expired'],
    paid: ['completed', 'completed', 'completed'],
    dead: ['pending', 'expired', 'expired'],
  },
  failed: {
    open: ['failed', 'failed', 'expired'],
    paid: ['failed', 'failed', 'completed'],
    dead: ['failed', 'failed', 'expired'],
  },
  completed: {
    open: ['pending', 'pending', 'expired'],
    paid: ['completed', 'completed', 'completed'],
    dead: ['expired', 'expired', 'expired'],
  },
}

test.each(ANSWERS.flatMap(answer => PAYMENT_STATUSES.map(payment => ({ answer, payment }))))(
  'D35 the state of every job: the agent said $answer, the payment is $payment',
  ({ answer, payment }) => {
    const states = TIMES.map(times => stateOf({ answer, payment, ...times }))
    expect(states).toEqual(TABLE[answer][payment])
  },
)

test('D35 expired and pending jobs are completed by a proven transfer, with or without a delivery', () => {
  for (const answer of ['none', 'pending'] as const) {
    for (const times of [OVERDUE, EXPIRED]) {
      expect(stateOf({ answer: weigh(answer, 'completed'), payment: 'paid', ...times })).toBe('completed')
      expect(stateOf({ answer, payment: mergePaymentStatus('open', 'paid'), ...times })).toBe('completed')
    }
  }
})

test('D35 an expired job stays expired without a proof, whatever the agent answers', () => {
  for (const answer of ANSWERS) {
    for (const payment of ['open', 'dead'] as const)
      expect(stateOf({ answer, payment, ...EXPIRED })).toBe('expired')
  }
})

test('D8 a job is failed only when the agent says so, never because its outcome is unknown', () => {
  for (const payment of PAYMENT_STATUSES) {
    for (const answer of ANSWERS.filter(said => said !== 'failed')) {
      for (const times of TIMES) expect(stateOf({ answer, payment, ...times })).not.toBe('failed')
    }
  }
})

test('FLOW-09 the final state of a job does not depend on the order of answers and payment checks', () => {
  const received: readonly AnswerState[] = ['pending', 'failed', 'completed']
  const orders = received.flatMap(one => received.map(other => [one, other] as const))
  for (const [one, other] of orders)
    expect(weigh(weigh('none', one), other)).toBe(weigh(weigh('none', other), one))
  for (const one of PAYMENT_STATUSES)
    for (const other of PAYMENT_STATUSES)
      expect(mergePaymentStatus(one, other)).toBe(mergePaymentStatus(other, one))
})

test('a delivery and a proven transfer are never revoked', () => {
  for (const answer of ANSWERS) expect(weigh('completed', answer)).toBe('completed')
  for (const status of PAYMENT_STATUSES) expect(mergePaymentStatus('paid', status)).toBe('paid')
})

test('D8 an unknown charge is not reported as "not charged"', () => {
  for (const answer of ANSWERS) {
    expect(isCharged({ answer, payment: 'paid' })).toBe(true)
    expect(isCharged({ answer, payment: 'dead' })).toBe(false)
    expect(isCharged({ answer, payment: 'open' })).toBe(answer === 'failed' ? false : null)
  }
})
