import { expect, test } from 'vitest'
import type { RunJob } from '@farebox/platform-api/flows/runs'
import { explainAction, labelAction, nextAction } from './next-action.ts'
import { FAILED, FLOW, jobOf, NOW, runOf, stepOf } from '../../test-setup/sample-run.ts'

const NONE = new Map<string, string>()

function actionOf(...jobs: readonly RunJob[]) {
  const steps = jobs.map(job => stepOf(job.key.split('#')[0] ?? '', [job]))
  return nextAction(FLOW, runOf(steps, { status: 'waiting' }), NONE, NOW)
}

const unpaid = (key: string, because: RunJob['because']): RunJob =>
  jobOf(key, { state: 'unpaid', because, payment: null, job: null, attempt: 0 })

test('a failed job with a valid payment is sent again with it, without a new signature', () => {
  const action = actionOf(jobOf('summary'), jobOf('qr', FAILED))
  expect(action).toMatchObject({ sign: [], retry: [{ key: 'qr', amount: '0.005' }], total: '0.005' })
  expect(labelAction(action)).toBe('Pay 0.005 and resume')
  expect(explainAction(action)).toBe(
    'The same signed payment will be sent again. It can be used only once, whatever happens.',
  )
})

test('a payment that expires too soon for a retry is waited for; no second one is signed while it can be charged', () => {
  const ending = (seconds: number): RunJob =>
    jobOf('qr', { ...FAILED, payment: { state: 'sent', valid_before: NOW + seconds } })
  const action = actionOf(ending(39))
  expect(labelAction(action)).toBe(undefined)
  expect(action.signableAt).toBe(NOW + 1_000)
  expect(labelAction(actionOf(ending(40)))).toBe('Pay 0.005 and resume')
})

test.each(['dead', 'wiped'] as const)('a failed job whose payment is %s needs a new signature', state => {
  const action = actionOf(jobOf('qr', { ...FAILED, payment: { state } }))
  expect(action.retry).toEqual([])
  expect(action.sign).toMatchObject([{ key: 'qr', name: 'QR code', price: '0.005' }])
})

test('a changed price is on the button, together with the previous price', () => {
  const action = actionOf(unpaid('qr', { kind: 'changed', price: '0.006', pay_to: '0x1' }))
  expect(labelAction(action)).toBe('0.005 → 0.006, sign again')
  expect(action.total).toBe('0.006')
})

test('the price that an agent has requested meanwhile is used', () => {
  const run = runOf([stepOf('qr', [unpaid('qr', { kind: 'none' })])])
  const action = nextAction(FLOW, run, new Map([['qr', '0.007']]), NOW)
  expect([action.total, labelAction(action)]).toEqual(['0.007', '0.005 → 0.007, sign again'])
})

test('several jobs are paid together at one press', () => {
  const action = actionOf(unpaid('summary', { kind: 'none' }), unpaid('qr', { kind: 'none' }))
  expect(labelAction(action)).toBe('Pay 2 steps, 0.015')
  const both = actionOf(unpaid('summary', { kind: 'none' }), jobOf('qr', FAILED))
  expect(labelAction(both)).toBe('Pay 2 steps, 0.015')
  expect(explainAction(both)).toMatch(
    /sent again with the payments you already signed\. Each can be used only once\./,
  )
})

test('paying twice for a step is never part of a press that does several things', () => {
  const charged = jobOf('qr', { ...FAILED, payment: { state: 'paid' } })
  const together = actionOf(charged, unpaid('summary', { kind: 'none' }))
  expect(together.sign.map(({ key }) => key)).toEqual(['summary'])
  const alone = actionOf(charged)
  expect(labelAction(alone)).toBe('Pay 0.005 again')
  expect(explainAction(alone)).toMatch(/pay twice/)
})

test('a step with a signed payment does not request another, before or during its turn', () => {
  const signed = jobOf('qr', {
    state: 'unpaid',
    because: { kind: 'none' },
    payment: { state: 'ready' },
    job: null,
  })
  for (const state of ['waiting', 'ordering'] as const) {
    const run = runOf([stepOf('qr', [signed], { state })])
    expect(labelAction(nextAction(FLOW, run, NONE, NOW))).toBe(undefined)
  }
})

test('a step whose input was refused before sending is not paid for', () => {
  const left = jobOf('qr', {
    state: 'unpaid',
    because: { kind: 'none' },
    payment: { state: 'wiped' },
    job: null,
  })
  const run = runOf([stepOf('qr', [left], { state: 'failed', reason: 'text: too long' })], {
    status: 'failed',
  })
  expect(labelAction(nextAction(FLOW, run, NONE, NOW))).toBe(undefined)
})

test('there is no button when nothing waits for the reader', () => {
  expect(labelAction(actionOf(jobOf('summary'), jobOf('qr')))).toBe(undefined)
})
