import { randomInt } from 'node:crypto'
import pg from 'pg'
import { EnvironmentError } from '../environment.ts'

/** `server_version_num` of the oldest release that we support: PostgreSQL 14.0. */
const OLDEST_VERSION = 140_000
/** The class of errors for statements that a server does not understand or does not support, and for missing functions. */
const NOT_UNDERSTOOD = /^(?:0A|42)/
/** Below 2 ** 48, as `randomInt` requires. */
const MAX_KEY = 2 ** 47

/**
 * Checks that the server is PostgreSQL 14 or newer and that its advisory locks exclude. Payments are reserved under such
 * locks: on a server where they have no effect, two payments of one payer would be granted the same balance. Databases that
 * speak PostgreSQL's protocol accept the statements, so the locks are tried on two connections.
 *
 * Works behind a pooler that assigns connections for one transaction at a time.
 *
 * @throws {EnvironmentError} with the reason; passes on the error of a server that cannot be reached
 */
export async function checkServer(pool: pg.Pool): Promise<void> {
  const reason = (await refuseVersion(pool)) ?? (await refuseLocks(pool))
  if (reason === undefined) return
  throw new EnvironmentError(
    `DATABASE_URL must lead to PostgreSQL 14 or newer, and not to a database that only speaks its protocol: ${reason}`,
  )
}

async function refuseVersion(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ readonly version: unknown; readonly number: unknown }>(
    `select version() as version, current_setting('server_version_num') as number`,
  )
  const { version, number } = rows[0] ?? {}
  if (typeof version !== 'string') return 'this server does not answer as PostgreSQL does'
  const name = version.slice(0, 80)
  // YugabyteDB contains PostgreSQL's code and its name: `PostgreSQL 15.2-YB-2.25.0.0-b0 on …`.
  if (!/^PostgreSQL \d/.test(name) || /-YB-/.test(name))
    return `this server says that it is ${JSON.stringify(name)}`
  if (Number(number) >= OLDEST_VERSION) return undefined
  return `this server has version ${JSON.stringify(name)}`
}

/** Uses two connections of its own, because the pool may be limited to one. */
async function refuseLocks({ options }: pg.Pool): Promise<string | undefined> {
  const [one, other] = [new pg.Client(options), new pg.Client(options)]
  // Queries in progress fail with the same error, so it is ignored here.
  for (const client of [one, other]) client.on('error', () => undefined)
  try {
    await one.connect()
    await other.connect()
    return await tryLocks(one, other)
  } catch (error) {
    if (!NOT_UNDERSTOOD.test(codeOf(error))) throw error
    return `the advisory locks of this server do not work (${error instanceof Error ? error.message : 'no message'})`
  } finally {
    await Promise.allSettled([one.end(), other.end()])
  }
}

/** Locks end with their transactions, because behind a pooler a session belongs to no client. */
async function tryLocks(one: pg.Client, other: pg.Client): Promise<string | undefined> {
  const key = randomInt(MAX_KEY)
  await one.query('begin')
  await other.query('begin')
  await one.query('select pg_advisory_xact_lock($1::bigint)', [key])
  if (await isTaken(other, key))
    return 'the advisory locks of this server do not exclude: two transactions held the same one'
  await one.query('rollback')
  if (await isTaken(other, key)) return undefined
  return 'the advisory locks of this server do not end with their transactions'
}

async function isTaken(client: pg.Client, key: number): Promise<boolean> {
  const { rows } = await client.query<{ readonly taken: boolean }>(
    'select pg_try_advisory_xact_lock($1::bigint) as taken',
    [key],
  )
  return rows[0]?.taken === true
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
