import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { NotConnected, UnknownCommit } from './database-failure.ts'
import { createOutageGate, MOST_WAIT_MS, type OutageGate } from './outage-gate.ts'
import { DatabaseAwayError, MOST_WAITING, MOST_WAITING_BYTES } from './waiting-room.ts'

const refused = (): Error => new NotConnected(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
const broken = (): Error => new Error('Connection terminated unexpectedly')

let clock: ReturnType<typeof createManualClock>
let isThere: boolean
let changes: boolean[]
let gate: OutageGate

beforeEach(() => {
  clock = createManualClock()
  isThere = false
  changes = []
  gate = createOutageGate({
    takesWrites: () => Promise.resolve(isThere),
    clock,
    onChange: isAway => changes.push(isAway),
  })
})

/** Runs everything that takes no time. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

async function pass(ms: number): Promise<void> {
  for (const untilMs = clock.nowMs() + ms; clock.nowMs() < untilMs;) {
    clock.pass(Math.min(250, untilMs - clock.nowMs()))
    await settle()
  }
}

/** Closes the gate, by a step that failed in the middle. */
async function shut(): Promise<void> {
  await expect(visit(() => Promise.reject(broken()))).rejects.toThrow('Connection terminated')
  await settle()
}

function visit<T>(
  step: () => Promise<T>,
  { signal = new AbortController().signal, bytes = 1_000 } = {},
): Promise<T> {
  return gate.enter({ signal, bytes }).run(step)
}

/** A step that fails with these errors, one each time, and then succeeds. */
function failing(...errors: Error[]): { run(): Promise<string>; times: number } {
  const step = {
    times: 0,
    run() {
      step.times += 1
      const error = errors.shift()
      return error === undefined ? Promise.resolve('done') : Promise.reject(error)
    },
  }
  return step
}

describe('while the database is unavailable', () => {
  test('new work waits without starting, and continues when the database is back', async () => {
    await shut()
    const step = failing()
    const outcome = visit(step.run)
    await pass(20_000)
    expect(step.times).toBe(0)
    isThere = true
    await pass(250)
    expect(await outcome).toBe('done')
    expect(changes).toEqual([true, false])
    expect(gate.isShut()).toBe(false)
  })

  test('new work is refused after thirty seconds, not started, and only the next database check still waits', async () => {
    await shut()
    const step = failing()
    const outcome = expect(visit(step.run)).rejects.toBeInstanceOf(DatabaseAwayError)
    await pass(MOST_WAIT_MS)
    await outcome
    expect([step.times, clock.waiting()]).toEqual([0, 1])
  })

  test('a step that was not executed is repeated, and the limit counts from the start of the visit', async () => {
    const step = failing(refused(), refused())
    const late = gate.enter({ signal: new AbortController().signal, bytes: 1 })
    const outcome = expect(late.run(step.run)).rejects.toBeInstanceOf(DatabaseAwayError)
    await pass(MOST_WAIT_MS - 250)
    isThere = true
    await pass(249)
    expect(step.times).toBe(1)
    isThere = false
    await pass(1)
    await outcome
    await expect(late.run(step.run)).rejects.toBeInstanceOf(DatabaseAwayError)
  })

  test('a caller that leaves stops waiting, and its place is free', async () => {
    await shut()
    const leaving = new AbortController()
    const [waiting, step] = [Array.from({ length: MOST_WAITING - 1 }, () => visit(failing().run)), failing()]
    const left = expect(visit(step.run, { signal: leaving.signal })).rejects.toThrow('gone')
    await expect(visit(step.run)).rejects.toBeInstanceOf(DatabaseAwayError)
    leaving.abort(new Error('gone'))
    await left
    waiting.push(visit(failing().run))
    isThere = true
    await pass(250)
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['done']))
    expect(step.times).toBe(0)
  })

  test('waiting requests take 64 MiB at most', async () => {
    await shut()
    const large = visit(failing().run, { bytes: MOST_WAITING_BYTES - 1_000 })
    const small = visit(failing().run)
    await expect(visit(failing().run, { bytes: 1 })).rejects.toBeInstanceOf(DatabaseAwayError)
    isThere = true
    await pass(250)
    expect(await Promise.all([large, small])).toEqual(['done', 'done'])
  })

  test('a process that stops refuses waiting requests', async () => {
    await shut()
    const step = failing()
    const outcome = expect(visit(step.run)).rejects.toBeInstanceOf(DatabaseAwayError)
    gate.close()
    await outcome
    await settle()
    expect([step.times, clock.waiting()]).toEqual([0, 0])
  })
})

describe('a failed step is repeated only if nothing was done', () => {
  const said = (code: string): Error => {
    const error = new pg.DatabaseError('said by the server', 1, 'error')
    error.code = code
    return error
  }
  test.each([
    ['no connection could be had', refused()],
    [
      'the connection had broken before',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['too many connections', said('53300')],
    ['the server was ended', said('57P01')],
    ['the server crashed', said('57P02')],
    ['the server is starting', said('57P03')],
    ['the primary was demoted', said('25006')],
  ])('%s: repeated', async (_, error) => {
    isThere = true
    const step = failing(error)
    expect(await visit(step.run)).toBe('done')
    expect([step.times, changes]).toEqual([2, []])
  })

  test.each([
    ['the connection broke in the middle', broken()],
    ['the socket was reset', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
    ['no answer in time', new Error('Query read timeout')],
    ['a commit without an answer', new UnknownCommit(said('57P01'))],
    ['the pooler lost the server', said('08P01')],
    ['the statement took too long', said('57014')],
    ['a wrong password', new NotConnected(said('28P01'))],
    ['a violated constraint', said('23505')],
    ['a bug', new TypeError('undefined is not a function')],
  ])('%s: once', async (_, error) => {
    isThere = true
    const step = failing(error)
    await expect(visit(step.run)).rejects.toBe(error)
    expect(step.times).toBe(1)
  })

  test('a step that fails again and again is repeated four times a second at most', async () => {
    isThere = true
    const step = failing(...Array.from({ length: 1_000 }, refused))
    const outcome = expect(visit(step.run)).rejects.toThrow()
    await pass(10_000)
    expect(step.times).toBeLessThanOrEqual(42)
    gate.close()
    await outcome
  })
})
