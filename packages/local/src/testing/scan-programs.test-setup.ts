import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, expect } from 'vitest'
import type { ChildLine } from '../processes/child-process.ts'

// Runs before every test file: no program that a test starts may print anything with the form of a secret (OPS-08). The
// scanner is loaded only when a program has printed something, so a test file without programs pays only for one
// subscription.

/** Repeated here so that the module that starts programs is not loaded; `program-suspects.test.ts` compares the two. */
const CHILD_LINES = 'farebox:child-lines'

const lines: ChildLine[] = []
const keep = (line: unknown): void => void lines.push(line as ChildLine)
subscribe(CHILD_LINES, keep)

afterAll(async () => {
  unsubscribe(CHILD_LINES, keep)
  if (lines.length === 0) return
  const { suspectsIn } = await import('./program-suspects.ts')
  expect(lines.flatMap(suspectsIn), 'secrets in what programs wrote').toEqual([])
})
