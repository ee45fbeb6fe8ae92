import { expect, test } from 'vitest'
import { FLOW } from '../../test-setup/sample-run.ts'
import { nameBySteps, renameBySteps, UNNAMED } from './name-by-steps.ts'

const { summary, qr } = FLOW.steps
const flow = (name: string, steps: typeof FLOW.steps) => ({ ...FLOW, name, steps })

test('an unnamed flow is named after its paid steps', () => {
  expect(nameBySteps(FLOW)).toBe('Summary, then QR code')
  expect(nameBySteps(flow('', {}))).toBe(UNNAMED)
})

test('its name follows its steps until the reader gives it another', () => {
  if (summary === undefined || qr === undefined) throw new Error('they are there')
  const one = flow(UNNAMED, { summary })
  expect(renameBySteps(flow(UNNAMED, {}), one)).toEqual([{ edit: 'rename-flow', name: 'Summary' }])
  const two = flow('Summary', { summary, qr })
  expect(renameBySteps(flow('Summary', { summary }), two)).toEqual([
    { edit: 'rename-flow', name: 'Summary, then QR code' },
  ])
  expect(renameBySteps(flow('Mine', { summary }), flow('Mine', { summary, qr }))).toEqual([])
})
