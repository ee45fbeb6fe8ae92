import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { describeError, silentLog } from '../log.ts'
import { reachDatabase } from './reach-database.ts'

const DATABASE_URL = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'

const quiet = { clock: systemClock, log: silentLog }

async function open(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect()
  await client.end()
}

const hasPostgres = await open(DATABASE_URL).then(
  () => true,
  () => false,
)

describe('a database that cannot be opened is named', () => {
  test.each([
    [
      'postgres://me:hunter22@127.0.0.1:9/ledger',
      'cannot reach PostgreSQL at 127.0.0.1:9 (database "ledger"): connection refused (ECONNREFUSED); ' +
        'start it or set DATABASE_URL',
    ],
    [
      'postgres://me:hunter22@localhost:9',
      'cannot reach PostgreSQL at localhost:9: connection refused (ECONNREFUSED); start it or set DATABASE_URL',
    ],
    [
      'postgres://me:hunter22@database.invalid/ledger',
      /^cannot reach PostgreSQL at database\.invalid:5432 \(database "ledger"\): (there is no host of this name|the name of the host could not be looked up) \(E\w+\)/,
    ],
  ])('%s, without its password', async (url, message) => {
    const refused = await reachDatabase(url, () => open(url), quiet).catch((error: unknown) => error)
    expect((refused as Error).message).toMatch(message)
    expect(describeError(refused)).not.toContain('hunter22')
  })

  test.runIf(hasPostgres)('also when the server is reachable and the database does not exist', async () => {
    const url = new URL(DATABASE_URL)
    url.pathname = '/no_such_database'
    await expect(reachDatabase(url.href, () => open(url.href), quiet)).rejects.toThrow(
      /\(database "no_such_database"\): there is no such database \(3D000\)/,
    )
  })

  test('another failure is passed on unchanged', async () => {
    const failure = new Error('migration 0001 did not run')
    await expect(reachDatabase(DATABASE_URL, () => Promise.reject(failure), quiet)).rejects.toBe(failure)
  })
})

describe('a database that does not answer yet', () => {
  const startingUp = Object.assign(new Error('the database system is starting up'), { code: '57P03' })
  const slow = new Error('timeout expired')

  /** Advances by the length of each sleep. */
  function sleeper(): Clock & { sleptMs: number } {
    return {
      sleptMs: 0,
      nowMs() {
        return this.sleptMs
      },
      after(ms, callback) {
        this.sleptMs += ms
        queueMicrotask(callback)
        return () => undefined
      },
    }
  }

  test('is tried again until it answers, and the log names the reason', async () => {
    const answers = [startingUp, slow]
    const events: string[] = []
    const log = { ...silentLog, info: (event: string) => void events.push(event) }
    const opening = reachDatabase(
      'postgres://127.0.0.1/ledger',
      () => {
        const failure = answers.shift()
        return failure === undefined ? Promise.resolve('open') : Promise.reject(failure)
      },
      { clock: sleeper(), log },
    )
    expect(await opening).toBe('open')
    expect(events).toEqual([
      'connecting to the database',
      'waiting for the database',
      'waiting for the database',
    ])
  })

  test('is abandoned after two minutes', async () => {
    const clock = sleeper()
    const opening = reachDatabase('postgres://127.0.0.1/ledger', () => Promise.reject(slow), {
      clock,
      log: silentLog,
    })
    await expect(opening).rejects.toThrow(
      'cannot reach PostgreSQL at 127.0.0.1:5432 (database "ledger"): no answer in time',
    )
    expect(clock.sleptMs).toBe(120_000)
  })
})
