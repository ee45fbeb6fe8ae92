import { expect, test } from 'vitest'
import { describeRun } from './describe-run.ts'
import { FAILED, FLOW, jobOf, runOf, stepOf } from '../../test-setup/sample-run.ts'

const SENT = { state: 'sent', payment: { state: 'sent' }, job: { status: 'sent', elapsed_ms: null } } as const
const card = stepOf('card', [])

test('a run in progress counts its stops and names the agent at work', () => {
  const run = runOf([stepOf('summary', [jobOf('summary')]), stepOf('qr', [jobOf('qr', SENT)]), card])
  expect(describeRun(FLOW, run)).toEqual({ headline: '1 of 3 steps done', lede: 'In progress: QR code.' })
})

test('skipped steps are not counted as stops', () => {
  const out = stepOf('ask', [], { state: 'skipped' })
  const run = runOf([stepOf('summary', [jobOf('summary', SENT)]), out, card])
  expect(describeRun(FLOW, run).headline).toBe('0 of 2 steps done')
})

test('a failed step says what is kept, what was not charged, and what resuming costs', () => {
  const run = runOf([stepOf('summary', [jobOf('summary')]), stepOf('qr', [jobOf('qr', FAILED)]), card], {
    status: 'waiting',
    paid: '0.01',
    exposed: '0.005',
  })
  expect(describeRun(FLOW, run)).toEqual({
    headline: 'One step was not delivered',
    lede: 'One step was paid for, and its output was kept. QR code failed. You were not charged for it. If you resume, you will pay only for that step.',
  })
})

test('for an agent that does not answer, the text does not claim that nothing was charged', () => {
  const silent = { ...FAILED, job: { status: 'expired' as const } }
  const run = runOf([stepOf('qr', [jobOf('qr', silent)])], {
    status: 'waiting',
    exposed: '0.005',
    exposed_until: 10_900,
  })
  const { lede } = describeRun(FLOW, run)
  expect(lede).toMatch(/^QR code did not respond in time and may still charge you until \d\d:\d\d:\d\d\./)
  expect(lede).not.toMatch(/not charged/)
})

test('a charge without a result is named before everything else, and no refund is promised', () => {
  const charged = { ...FAILED, payment: { state: 'paid' as const } }
  const run = runOf([stepOf('summary', [jobOf('summary', FAILED)]), stepOf('qr', [jobOf('qr', charged)])], {
    status: 'waiting',
    paid: '0.005',
  })
  const { headline, lede } = describeRun(FLOW, run)
  expect(headline).toBe('One step was charged but not delivered')
  expect(lede).toMatch(/The platform cannot promise a refund\./)
})

test.each([
  ['changed', 'A price has changed'],
  ['too-late', 'A signature expired'],
  ['dead', 'A signature expired'],
  ['none', 'One job is waiting for your payment'],
] as const)('describes why a payment is requested: %s', (kind, headline) => {
  const because = kind === 'changed' ? { kind, price: '0.006', pay_to: '0x1' } : { kind }
  const unpaid = jobOf('qr', { state: 'unpaid', because, payment: null, job: null })
  const run = runOf([stepOf('qr', [unpaid])], {
    status: 'waiting',
    waiting: [{ for: 'payment', key: 'qr', because }],
  })
  expect(describeRun(FLOW, run).headline).toBe(headline)
})

test('describes a run that waits for a person, and one that waits for a time', () => {
  const asking = runOf([stepOf('ask', [], { state: 'asking' })], {
    status: 'waiting',
    waiting: [{ for: 'person', step: 'ask' }],
  })
  expect(describeRun(FLOW, asking).headline).toBe('Your approval is needed')
  const waiting = runOf([], { status: 'waiting', waiting: [{ for: 'time', step: 'wait', until: 20_000 }] })
  expect(describeRun(FLOW, waiting).headline).toMatch(/^Waiting until \d\d:\d\d:\d\d$/)
})

test('a run that is over says what was paid, and what can still be charged', () => {
  const done = runOf([stepOf('summary', [jobOf('summary')]), stepOf('qr', [jobOf('qr')])], {
    status: 'completed',
    paid: '0.015',
  })
  expect(describeRun(FLOW, done)).toEqual({
    headline: 'Delivered and paid',
    lede: 'Both paid steps were delivered. 0.015 USDC was paid and confirmed on-chain.',
  })
  const cancelled = runOf([stepOf('qr', [jobOf('qr', FAILED)])], {
    status: 'cancelled',
    exposed: '0.005',
    exposed_until: 10_900,
  })
  expect(describeRun(FLOW, cancelled).lede).toMatch(
    /0\.005 USDC may still be charged until .* Nothing was charged\.$/,
  )
})

test('the reason for an input refused before sending is shown, also once the run is cancelled', () => {
  const refused = stepOf('qr', [], {
    state: 'failed',
    reason: 'text: must be at most 1200 characters, got 1522',
  })
  const steps = [stepOf('summary', [jobOf('summary')]), refused]
  const failed = describeRun(FLOW, runOf(steps, { status: 'failed', paid: '0.01' }))
  expect(failed.headline).toBe('This run cannot continue')
  expect(failed.lede).toBe(
    '0.01 USDC was paid and confirmed on-chain. QR code failed: text: must be at most 1,200 characters, got 1,522. ' +
      '“text” comes from the value you entered for “text”. Change it there. ' +
      'That step was not sent, and you were not charged for it. No steps after it will be ordered.',
  )
  const cancelled = describeRun(FLOW, runOf(steps, { status: 'cancelled', paid: '0.01' }))
  expect(cancelled.headline).toBe('Canceled: QR code failed')
  expect(cancelled.lede).toContain('got 1,522')
})

test('a failed free step shows its reason on one line, without hidden characters', () => {
  const failed = stepOf('card', [], { state: 'failed', reason: 'a:\nis \u202emissing' })
  const { headline, lede } = describeRun(FLOW, runOf([failed], { status: 'failed' }))
  expect(headline).toBe('This run cannot continue')
  expect(lede).toContain('Template failed: a: is \u{FFFD}missing')
})
