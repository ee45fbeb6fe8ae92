import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import type { Steps } from './run-local.ts'

const SCRIPT = join(fileURLToPath(new URL('../../../scripts', import.meta.url)), 'steps.mjs')

interface Clock {
  nowMs(): number
  after(ms: number, call: () => void): () => void
}

/**
 * The printer of `npm start` with an output that keeps its lines, and a clock that advances only when a test calls for
 * it.
 */
async function printer() {
  const { createSteps } = (await import(pathToFileURL(SCRIPT).href)) as {
    readonly createSteps: (out: { write(text: string): void }, clock: Clock) => Steps
  }
  let written = ''
  let nowMs = 0
  let due: { readonly atMs: number; readonly call: () => void } | undefined
  const clock = {
    nowMs: () => nowMs,
    after(ms: number, call: () => void) {
      due = { atMs: nowMs + ms, call }
      return () => {
        due = undefined
      }
    },
  }
  const pass = (seconds: number): void => {
    const untilMs = nowMs + seconds * 1_000
    for (let next = due; next !== undefined && next.atMs <= untilMs; next = due) {
      nowMs = next.atMs
      next.call()
    }
    nowMs = untilMs
  }
  return {
    steps: createSteps({ write: text => void (written += text) }, clock),
    pass,
    written: () => written,
  }
}

test('a slow step reports what it is doing after ten seconds, and then every thirty seconds', async () => {
  const { steps, pass, written } = await printer()
  await steps.step(
    'platform',
    report => {
      report('migrating the database')
      pass(12)
      report('loading the pages')
      pass(60)
      return Promise.resolve()
    },
    () => ({ text: 'http://localhost:4000' }),
  )
  expect(written().split('\n')).toEqual([
    '  · platform: migrating the database, 10 s',
    '  · platform: loading the pages, 40 s',
    '  · platform: loading the pages, 70 s',
    '  ✓ platform    http://localhost:4000         72.0 s',
    '',
  ])
  pass(60)
  expect(written()).toMatch(/72\.0 s\n$/)
})

test('a step that is quick or fails prints only its result', async () => {
  const { steps, pass, written } = await printer()
  await steps.step(
    'chain',
    report => {
      report('starting anvil')
      pass(9)
      return Promise.resolve()
    },
    () => ({}),
  )
  const failing = steps.step(
    'platform',
    () => Promise.reject(new Error('no')),
    () => ({}),
  )
  await expect(failing).rejects.toThrow('no')
  pass(60)
  expect(written()).toMatch(/^ {2}✓ chain +9\.0 s\n {2}✗ platform\n$/)
})
