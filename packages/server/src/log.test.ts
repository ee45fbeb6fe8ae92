import { expect, test } from 'vitest'
import { createJsonLog, type Log } from './log.ts'

interface Staged {
  readonly log: Log
  /** The lines written since the last call. */
  lines(): unknown[]
  /** Moves the clock. */
  after(seconds: number): void
}

function stageLog(): Staged {
  const written: string[] = []
  let nowMs = Date.UTC(2026, 0, 1)
  return {
    log: createJsonLog(
      line => written.push(line),
      () => nowMs,
    ),
    lines: () => written.splice(0).map(line => JSON.parse(line) as unknown),
    after: seconds => void (nowMs += seconds * 1_000),
  }
}

const AWAY = { error: 'connect ECONNREFUSED' }

test('a line has time, level, event and fields', () => {
  const { log, lines } = stageLog()
  log.info('listening', { port: 4010, balance: 2n })
  expect(lines()).toEqual([
    { time: '2026-01-01T00:00:00.000Z', level: 'info', event: 'listening', port: 4010, balance: '2' },
  ])
})

test('the repeats of a failure are counted, and written every 30 seconds with the last fields', () => {
  const { log, lines, after } = stageLog()
  for (let round = 0; round < 70; round += 1) {
    log.error('request failed', { ...AWAY, request: round })
    after(1)
  }
  expect(lines()).toMatchObject([
    { time: '2026-01-01T00:00:00.000Z', request: 0 },
    { time: '2026-01-01T00:00:30.000Z', request: 29, repeats: 29 },
    { time: '2026-01-01T00:01:00.000Z', request: 59, repeats: 30 },
  ])
})

test('the repeats of a failure that is over are written with the next line of any kind', () => {
  const { log, lines, after } = stageLog()
  log.warn('cannot lease', AWAY)
  log.warn('cannot lease', AWAY)
  after(31)
  log.info('request')
  expect(lines()).toMatchObject([{ event: 'cannot lease' }, { repeats: 1 }, { event: 'request' }])
  after(31)
  log.info('request')
  log.warn('cannot lease', AWAY)
  expect(lines()).toMatchObject([{ event: 'request' }, { event: 'cannot lease' }])
})

test('another event, another error, and an event without an error are each written', () => {
  const { log, lines } = stageLog()
  const facts = [
    ['cannot lease', AWAY],
    ['cannot renew', AWAY],
    ['cannot renew', { error: 'timeout' }],
    ['agent is offline', { reason: 'refused' }],
    ['agent is offline', { reason: 'refused' }],
  ] as const
  for (const [event, fields] of facts) log.warn(event, fields)
  expect(lines()).toHaveLength(facts.length)
})

test('errors of more texts than are counted are written each time', () => {
  const { log, lines } = stageLog()
  for (let number = 0; number < 300; number += 1) log.error('failed', { error: String(number) })
  for (let number = 0; number < 300; number += 1) log.error('failed', { error: String(number) })
  expect(lines()).toHaveLength(400)
})
