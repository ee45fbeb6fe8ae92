import { expect, test } from 'vitest'
import { settleFate, stateOf, weigh, type AgentAnswer, type JobState, type PaymentFate } from './states.ts'

const ANSWERS: readonly AgentAnswer[] = ['none', 'pending', 'failed', 'completed']
const FATES: readonly PaymentFate[] = ['open', 'paid', 'dead']

/** In time and overdue, for each thing the agent said and each fate of the payment. */
const TABLE: {
  readonly [said in AgentAnswer]: { readonly [fate in PaymentFate]: readonly [JobState, JobState] }
} = {
  none: { open: ['sent', 'expired'], paid: ['completed', 'completed'], dead: ['sent', 'expired'] },
  pending: { open: ['pending', 'pending'], paid: ['completed', 'completed'], dead: ['pending', 'expired'] },
  failed: { open: ['failed', 'failed'], paid: ['failed', 'failed'], dead: ['failed', 'failed'] },
  completed: { open: ['pending', 'pending'], paid: ['completed', 'completed'], dead: ['expired', 'expired'] },
}

test.each(ANSWERS.flatMap(answer => FATES.map(payment => ({ answer, payment }))))(
  'D35 the state of every job: the agent said $answer, the payment is $payment',
  ({ answer, payment }) => {
    const states = [false, true].map(isOverdue => stateOf({ answer, payment, isOverdue }))
    expect(states).toEqual(TABLE[answer][payment])
  },
)

test('D35 expired and pending become completed by a later delivery that is proven, and by a later transfer', () => {
  for (const answer of ['none', 'pending'] as const) {
    expect(stateOf({ answer: weigh(answer, 'completed'), payment: 'paid', isOverdue: true })).toBe(
      'completed',
    )
    expect(stateOf({ answer, payment: settleFate('open', 'paid'), isOverdue: true })).toBe('completed')
  }
})

test('D8 what is unknown is never called failed: only the agent calls a job so', () => {
  for (const payment of FATES) {
    for (const answer of ANSWERS.filter(said => said !== 'failed')) {
      for (const isOverdue of [false, true])
        expect(stateOf({ answer, payment, isOverdue })).not.toBe('failed')
    }
  }
})

test('FLOW-09 in whatever order things are heard and seen, the job ends in the same state', () => {
  const heard: readonly AgentAnswer[] = ['pending', 'failed', 'completed']
  const orders = heard.flatMap(one => heard.map(other => [one, other] as const))
  for (const [one, other] of orders)
    expect(weigh(weigh('none', one), other)).toBe(weigh(weigh('none', other), one))
  for (const one of FATES)
    for (const other of FATES) expect(settleFate(one, other)).toBe(settleFate(other, one))
})

test('a delivery is never taken back, nor a proven transfer', () => {
  for (const answer of ANSWERS) expect(weigh('completed', answer)).toBe('completed')
  for (const fate of FATES) expect(settleFate('paid', fate)).toBe('paid')
})
