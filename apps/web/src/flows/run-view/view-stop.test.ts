import { expect, test } from 'vitest'
import { FAILED, FLOW, jobOf, stepOf } from '../../test-setup/sample-run.ts'
import { viewStop } from './view-stop.ts'

const { summary, card } = FLOW.steps

test.each([
  ['paid', {}, 'passed', 'Paid', 'paid'],
  [
    'under way',
    { state: 'sent', payment: { state: 'sent' }, job: { status: 'sent' } },
    'here',
    'Running',
    'plain',
  ],
  [
    'delivered and not yet in a block',
    { state: 'sent', payment: { state: 'sent' }, job: { status: 'pending' } },
    'here',
    'Delivered, payment being settled',
    'plain',
  ],
  ['failed', FAILED, 'failed', 'Not delivered, not charged', 'refused'],
  [
    'failed before it left',
    { ...FAILED, attempt: 0, payment: { state: 'wiped' }, job: null },
    'failed',
    'Not sent, not charged',
    'refused',
  ],
  [
    'silent',
    { ...FAILED, job: { status: 'expired' } },
    'failed',
    'No response in time, and you may still be charged',
    'warn',
  ],
  [
    'charged for nothing',
    { ...FAILED, payment: { state: 'paid' } },
    'failed',
    'Charged, not delivered',
    'refused',
  ],
  [
    'to be paid once more',
    { state: 'unpaid', because: { kind: 'charged' }, payment: { state: 'paid' } },
    'failed',
    'Charged, not delivered',
    'refused',
  ],
  [
    'signed, and its price not asked so far',
    { state: 'unpaid', because: { kind: 'none' }, payment: { state: 'ready' }, job: null },
    'here',
    'Signed and waiting for its turn',
    'plain',
  ],
  [
    'dearer',
    { state: 'unpaid', because: { kind: 'changed', price: '0.02', pay_to: '0x1' }, payment: null },
    'here',
    'The price is now 0.02 USDC',
    'warn',
  ],
] as const)('shows a paid step that is %s', (_, given, mark, words, tone) => {
  const view = viewStop(summary, stepOf('summary', [jobOf('summary', given)]), 'waiting')
  expect([view.mark.state, view.words.words, view.words.tone]).toEqual([mark, words, tone])
  expect(view.mark.shape).toBe('round')
})

test('a free step is square, and hollow while it is not reached or when it is skipped', () => {
  expect(viewStop(card, stepOf('card', []), 'running').mark).toEqual({ shape: 'square', state: 'ahead' })
  expect(viewStop(card, stepOf('card', [], { state: 'skipped' }), 'running').mark.state).toBe('out')
  expect(viewStop(card, stepOf('card', [], { state: 'done' }), 'running').mark.state).toBe('passed')
})

test('the jobs of a list are counted, and failed jobs are counted separately', () => {
  const jobs = [jobOf('summary#0'), jobOf('summary#1', FAILED), jobOf('summary#2')]
  const { words } = viewStop(summary, stepOf('summary', jobs), 'waiting')
  expect([words.words, words.tone]).toEqual(['2 of 3 delivered and paid, 1 not', 'refused'])
})
