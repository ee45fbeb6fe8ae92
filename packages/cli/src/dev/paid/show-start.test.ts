import { expect, test } from 'vitest'
import { showStart } from './paid-path.ts'

/** A screen whose time is advanced by the test. */
function shown(live: boolean) {
  let written = ''
  let nowMs = 0
  let due: { readonly atMs: number; readonly call: () => void } | undefined
  const start = showStart(
    { live, columns: 80, write: text => void (written += text) },
    {
      nowMs: () => nowMs,
      after(delayMs, call) {
        due = { atMs: nowMs + delayMs, call }
        return () => {
          due = undefined
        }
      },
    },
  )
  return {
    ...start,
    /** The output of this many seconds. */
    pass(seconds: number): string {
      const before = written.length
      const untilMs = nowMs + seconds * 1_000
      for (let next = due; next !== undefined && next.atMs <= untilMs; next = due) {
        nowMs = next.atMs
        next.call()
      }
      nowMs = untilMs
      return written.slice(before)
    },
    written: () => written,
  }
}

/** A part that keeps starting for the whole test. */
function starting(start: ReturnType<typeof shown>): (activity: string) => void {
  let report: (activity: string) => void = () => undefined
  void start.step(
    'facilitator',
    given => {
      report = given
      return new Promise(() => undefined)
    },
    () => ({}),
  )
  return activity => report(activity)
}

test('without a terminal, a slow start prints its current step after ten seconds, and then every thirty', () => {
  const start = shown(false)
  const report = starting(start)
  report('migrating the database')
  expect(start.pass(9)).toBe('')
  expect(start.pass(3)).toBe('  facilitator: migrating the database, 10 s\n')
  report('asking the node')
  expect(start.pass(60)).toBe('  facilitator: asking the node, 40 s\n  facilitator: asking the node, 70 s\n')
  start.end()
  expect(start.pass(60)).toBe('')
})

test('on a terminal one line counts the seconds, and is removed at the end', () => {
  const start = shown(true)
  expect(start.written()).toMatch(/^ {2}starting a chain, .* …$/)
  starting(start)
  expect(start.pass(11)).toBe(
    '\r\u001b[2K  facilitator: starting, 10 s\r\u001b[2K  facilitator: starting, 11 s',
  )
  const before = start.written().length
  start.end()
  expect(start.written().slice(before)).toBe('\r\u001b[2K')
})
