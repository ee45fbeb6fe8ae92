import type { RunAnswer, RunStepAnswer } from '@farebox/platform-api/flows/runs'
import { expect, test } from 'vitest'
import { compareRuns } from './compare-runs.ts'
import { FAILED, jobOf, runOf, stepOf } from '../../test-setup/sample-run.ts'

const whole = (...steps: readonly RunStepAnswer[]): RunAnswer => ({
  ...runOf(steps),
  flow: {},
  flow_id: null,
  input: {},
})

test('compares the state, time and price of each step of two runs, and names the outputs that differ', () => {
  const one = whole(
    stepOf('summary', [jobOf('summary')], { outputs: { text: 'short', words: 3 } }),
    stepOf('qr', [jobOf('qr', FAILED)]),
  )
  const other = whole(
    stepOf('summary', [jobOf('summary', { job: { elapsed_ms: 900 } })], {
      outputs: { words: 4, text: 'short' },
    }),
    stepOf('qr', [jobOf('qr')]),
  )
  expect(compareRuns(one, other)).toEqual([
    {
      id: 'summary',
      one: { words: 'paid', elapsedMs: 700, paid: '0.01' },
      other: { words: 'paid', elapsedMs: 900, paid: '0.01' },
      differences: [{ port: 'words', one: 3, other: 4 }],
      isSame: false,
    },
    {
      id: 'qr',
      one: { words: 'not delivered, not charged', elapsedMs: 700, paid: '0' },
      other: { words: 'paid', elapsedMs: 700, paid: '0.005' },
      differences: [],
      isSame: false,
    },
  ])
})

test('the order of property names is not a difference, but an output that only one run has is', () => {
  const same = stepOf('a', [jobOf('a')], { outputs: { text: { x: 1, y: [2] } } })
  const turned = stepOf('a', [jobOf('a')], { outputs: { text: { y: [2], x: 1 } } })
  expect(compareRuns(whole(same), whole(turned))[0]?.isSame).toBe(true)
  const more = stepOf('a', [jobOf('a')], { outputs: { text: { x: 1, y: [2] }, constructor: 'x' } })
  expect(compareRuns(whole(same), whole(more))[0]?.differences).toEqual([
    { port: 'constructor', one: undefined, other: 'x' },
  ])
})

test('a step that only the other run has is included', () => {
  expect(compareRuns(whole(), whole(stepOf('qr', []))).map(({ id, one }) => [id, one])).toEqual([
    ['qr', undefined],
  ])
})
