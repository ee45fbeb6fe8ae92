import { expect, test } from 'vitest'
import { createTestWorld } from '../../testing/test-world.ts'
import { createAnnouncer } from './announce.ts'
import { describeStray } from '../agent/receive-commands.ts'
import { describeTrouble } from './report-outcomes.ts'
import type { Description } from '../messages/messages.ts'
import { splitLines } from '../supervise/agent-processes.ts'

const DESCRIPTION: Description = {
  name: 'Echo',
  url: 'http://127.0.0.1:3000',
  mode: 'dev mode: payments are off',
  wallet: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
  capabilities: ['echo'],
  lines: ['  echo   0.01 USDC   text: string   →  text: string'],
  sampled: ['echo'],
  samples: ['! SAMPLES: …', '  write …'],
  next: ['curl …'],
  page: 'http://127.0.0.1:5170',
}

test('a person sees the heading, samples, a command to try, and then the result of each change', () => {
  const { world, out } = createTestWorld({ folder: '/p' })
  const announcer = createAnnouncer(world, () => 'text')
  announcer.serving(DESCRIPTION, true)
  announcer.line('execute job=1 capability=echo', 'out')
  announcer.restarted({ files: ['agent.json'], tookMs: 140, isRecovered: false })
  announcer.refused('agent.json:14:19 capabilities.echo: wrong\n  fix it', true)
  announcer.restarted({ files: ['a.ts', 'b.ts', 'c.ts', 'd.ts'], tookMs: 90, isRecovered: true })
  announcer.trouble('gone', 'a new process takes over at once')
  announcer.restarted({ files: [], tookMs: 90, isRecovered: true })
  expect(out()).toBe(`Echo   http://127.0.0.1:3000   dev mode: payments are off
  echo   0.01 USDC   text: string   →  text: string

! SAMPLES: …
  write …

  try it
    curl …

execute job=1 capability=echo
agent.json changed → restarted in 140 ms
✗ agent.json:14:19 capabilities.echo: wrong
  fix it
  still serving the last good version
a.ts, b.ts and 2 more changed → serving again in 90 ms
✗ gone
  a new process takes over at once
new process → serving again in 90 ms
`)
})

test('warnings and handler errors are coloured on a terminal', () => {
  const { world, out } = createTestWorld({ folder: '/p', live: true })
  const announcer = createAnnouncer(world, () => 'text')
  announcer.line('warning: look', 'out')
  announcer.line('handler error: no', 'out')
  announcer.line('completed', 'out')
  announcer.refused('wrong', false)
  expect(out()).toBe(
    '\u001b[33mwarning: look\u001b[39m\n\u001b[31mhandler error: no\u001b[39m\ncompleted\n' +
      '\u001b[31m✗\u001b[39m wrong\n\u001b[2m  nothing is served: it is tried again at the next save\u001b[22m\n',
  )
})

test('D27 SERVICE_LOG=json makes every line an object', () => {
  const { world, out } = createTestWorld({ folder: '/p' })
  const announcer = createAnnouncer(world, () => 'json')
  announcer.serving(DESCRIPTION, true)
  announcer.restarted({ files: ['agent.json'], tookMs: 140, isRecovered: false })
  announcer.refused('wrong', true)
  announcer.trouble('gone', 'a new process')
  announcer.trace(['for people'])
  announcer.note('stopped')
  announcer.line('{"event":"execute"}', 'out')
  const events = out()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { readonly event: string })
  expect(events.map(({ event }) => event)).toEqual([
    'listening',
    'answers are samples, there are no handlers',
    'restarted',
    'not served',
    'trouble',
    'stopped',
    'execute',
  ])
  const page = 'http://127.0.0.1:5170'
  expect(events[0]).toMatchObject({ name: 'Echo', url: 'http://127.0.0.1:3000', page, level: 'info' })
})

test('describes in words why the agent’s process ended', () => {
  expect(describeTrouble({ kind: 'blocked', silentMs: 5_000 })).toBe(
    'the agent has not answered for 5 s: a handler that never awaits blocks it',
  )
  const ended = (code: number | null, signal: string | null): string =>
    describeTrouble({ kind: 'ended', exit: { code, signal } })
  expect(ended(3, null)).toBe(
    "the agent's process ended unexpectedly: exit code 3, process.exit() in a handler?",
  )
  expect(ended(null, 'SIGABRT')).toBe("the agent's process ended unexpectedly: out of memory?")
  expect(ended(null, 'SIGKILL')).toBe("the agent's process ended unexpectedly: by SIGKILL")
})

test('an uncaught error is shown with its own stack lines, and nothing that moves the cursor', () => {
  const error = new Error('left\u001b[2J behind')
  error.stack = `Error: ${error.message}\n    at work (/p/handlers.ts:3:9)\n    at node:internal/timers:581:17\n    at listOnTimeout (node:internal/timers:1:1)`
  expect(describeStray(error)).toBe(
    'an uncaught error\n  Error: left·[2J behind\n      at work (/p/handlers.ts:3:9)',
  )
  expect(describeStray('just words')).toBe('an uncaught error\n  just words')
})

test('lines are assembled from chunks', () => {
  const lines: string[] = []
  const take = splitLines(line => lines.push(line))
  for (const piece of ['a', 'b\nc\r\n', '\nd', undefined]) take(piece)
  expect(lines).toEqual(['ab', 'c', '', 'd'])
})

test('an invalid output is shown with its field, the effect in production, and the fix', () => {
  const { world, out } = createTestWorld({ folder: '/p', live: true })
  const announcer = createAnnouncer(world, () => 'text')
  announcer.line(
    'warning: output does not match output_schema: words: must be an integer, got a string; production answers 500 and is not paid job=7',
    'out',
  )
  // eslint-disable-next-line no-control-regex -- the colours are left out
  expect(out().replaceAll(/\u001b\[\d+m/g, ''))
    .toBe(`! wrong output  words: must be an integer, got a string job=7
    answered 200 in dev mode alone: production answers 500 and is not paid
    return what output_schema declares, or change output_schema in agent.json
`)
  expect(out()).toContain('\u001b[33m\u001b[1m! wrong output')
})

test('type errors are shown with place, value and consequence, and then as fixed', () => {
  const { world, out } = createTestWorld({ folder: '/p' })
  const announcer = createAnnouncer(world, () => 'text')
  const problem = {
    file: 'handlers.ts',
    line: 8,
    column: 3,
    reasons: ["'A' is not 'B'.", 'string is no number.'],
  }
  announcer.types([problem])
  announcer.types([1, 2, 3, 4].map(line => ({ ...problem, line, reasons: ['no.'] })))
  announcer.types([])
  expect(out()).toBe(`! handlers.ts:8:3
    string is no number.
    'A' is not 'B'.
  a type error; served all the same
! handlers.ts:1:3
    no.
! handlers.ts:2:3
    no.
! handlers.ts:3:3
    no.
    … 1 more: npx tsc --noEmit
  4 type errors; served all the same
types ok
`)
})
