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

/** In time, overdue, and marked expired before, for each thing the agent said and each status of the payment. */
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

test('D35 expired and pending become completed by a later delivery that is proven, and by a later transfer', () => {
  for (const answer of ['none', 'pending'] as const) {
    for (const times of [OVERDUE, EXPIRED]) {
      expect(stateOf({ answer: weigh(answer, 'completed'), payment: 'paid', ...times })).toBe('completed')
      expect(stateOf({ answer, payment: mergePaymentStatus('open', 'paid'), ...times })).toBe('completed')
    }
  }
})

test('D35 what has expired stays expired without a proof, whatever the agent says then', () => {
  for (const answer of ANSWERS) {
    for (const payment of ['open', 'dead'] as const)
      expect(stateOf({ answer, payment, ...EXPIRED })).toBe('expired')
  }
})

test('D8 what is unknown is never called failed: only the agent calls a job so', () => {
  for (const payment of PAYMENT_STATUSES) {
    for (const answer of ANSWERS.filter(said => said !== 'failed')) {
      for (const times of TIMES) expect(stateOf({ answer, payment, ...times })).not.toBe('failed')
    }
  }
})

test('FLOW-09 in whatever order things are heard and seen, the job ends in the same state', () => {
  const heard: readonly AnswerState[] = ['pending', 'failed', 'completed']
  const orders = heard.flatMap(one => heard.map(other => [one, other] as const))
  for (const [one, other] of orders)
    expect(weigh(weigh('none', one), other)).toBe(weigh(weigh('none', other), one))
  for (const one of PAYMENT_STATUSES)
    for (const other of PAYMENT_STATUSES)
      expect(mergePaymentStatus(one, other)).toBe(mergePaymentStatus(other, one))
})

test('a delivery is never taken back, nor a proven transfer', () => {
  for (const answer of ANSWERS) expect(weigh('completed', answer)).toBe('completed')
  for (const status of PAYMENT_STATUSES) expect(mergePaymentStatus('paid', status)).toBe('paid')
})

test('D8 what is not known is not "not charged"', () => {
  for (const answer of ANSWERS) {
    expect(isCharged({ answer, payment: 'paid' })).toBe(true)
    expect(isCharged({ answer, payment: 'dead' })).toBe(false)
    expect(isCharged({ answer, payment: 'open' })).toBe(answer === 'failed' ? false : null)
  }
})
