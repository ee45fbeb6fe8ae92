import { expect, test } from 'vitest'
import type { Flow } from '@farebox/flows/document/flow'
import { FLOW, stepOf } from '../../test-setup/sample-run.ts'
import { explainRefused } from './explain-refused.ts'

const { summary, qr } = FLOW.steps
const CHAIN: Flow = {
  ...FLOW,
  steps: {
    ...(summary?.kind === 'job' && {
      summary: {
        ...summary,
        pinned: {
          ...summary.pinned,
          input_schema: { text: { type: 'string' }, sentences: { type: 'integer' } },
        },
      },
    }),
    ...(qr !== undefined && { qr }),
  },
  wires: [
    { from: { step: 'input', port: 'text' }, to: { step: 'summary', port: 'text' } },
    { from: { step: 'summary', port: 'text' }, to: { step: 'qr', port: 'text' } },
  ],
}

const refused = (step: string, reason: string) =>
  explainRefused(CHAIN, stepOf(step, [], { state: 'failed', reason }))

test('for a text that is too long, names its source and what makes it shorter', () => {
  expect(refused('qr', 'text: must be at most 1200 characters, got 1522')).toBe(
    '“text” came from “text” in Summary. Give Summary a shorter input or a lower “sentences”.',
  )
})

test('for a value that the reader entered, says where to change it', () => {
  expect(refused('summary', 'text: must be at least 20 characters, got 3')).toBe(
    '“text” comes from the value you entered for “text”. Change it there.',
  )
})

test('is undefined for a reason that names no wired input', () => {
  expect(refused('qr', 'The list is empty.')).toBe(undefined)
  expect(refused('qr', 'margin: must be at most 20, got 21')).toBe(undefined)
})
