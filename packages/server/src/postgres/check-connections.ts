import { EnvironmentError } from '../environment.ts'
import { checkServer } from './check-server.ts'
import type { Database } from './connect.ts'

/** PgBouncer's message for a setting that it does not pass on; its code is that of any protocol violation. */
const UNSUPPORTED_PARAMETER = /unsupported startup parameter/i

/** The expected properties of connections. */
export interface ExpectedConnections {
  /** Does a pooler assign them for one transaction at a time? */
  readonly isPooled: boolean
  /** Must table names without a schema refer to the configured schema? */
  readonly searchPath: boolean
}

/**
 * Checks that the server is PostgreSQL and that a connection has the required settings. Behind a pooler the settings are those of the role; with an undeclared
 * pooler, our settings are refused or dropped, and each request would fail later.
 *
 * @throws {EnvironmentError} with the variables or settings to change; an `Error` with code 25006 for a read-only database
 */
export async function checkConnections(
  { pool, schema }: Pick<Database, 'pool' | 'schema'>,
  { isPooled, searchPath }: ExpectedConnections,
): Promise<void> {
  const { path, timeout, role, database } = await settingsOf(pool)
  const isTimed = timeout !== '0'
  const isFound = !searchPath || firstOf(path) === schema
  if (isTimed && isFound) return
  if (!isPooled) throw new EnvironmentError(unspoken('it drops the settings of our connections'))
  const settings = [
    ...(isTimed ? [] : [`set statement_timeout = '10s'`]),
    ...(isFound ? [] : [`set search_path = ${schema}, public`]),
  ]
  const statements = settings.map(setting => `alter role ${role} in database ${database} ${setting};`)
  throw new EnvironmentError(
    'DATABASE_URL: the connections of the pooler lack settings that only the role can bring: run ' +
      `${statements.join(' ')} and then RECONNECT in the pooler's console`,
  )
}

interface SettingsRow {
  readonly path: string
  readonly timeout: string
  readonly role: string
  readonly database: string
  readonly isReadOnly: boolean
}

async function settingsOf(pool: Database['pool']): Promise<SettingsRow> {
  try {
    await checkServer(pool)
    return await readSettings(pool)
  } catch (error) {
    if (error instanceof Error && UNSUPPORTED_PARAMETER.test(error.message))
      throw new EnvironmentError(unspoken(`it refuses the settings of our connections (${error.message})`))
    throw error
  }
}

async function readSettings(pool: Database['pool']): Promise<SettingsRow> {
  const { rows } = await pool.query<SettingsRow>(
    `select current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
      quote_ident(current_user) as role, quote_ident(current_database()) as database,
      current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('the database did not tell its settings')
  // The code is that of a write; a program that only reads at first would start and then fail every request.
  if (row.isReadOnly) throw Object.assign(new Error('the database is read-only'), { code: '25006' })
  return row
}

function unspoken(why: string): string {
  return (
    `DATABASE_URL leads to a connection pooler: ${why}. ` +
    'Set DATABASE_DIRECT_URL to the PostgreSQL server itself, for migrations and LISTEN; see "Behind PgBouncer" in the docs'
  )
}

function firstOf(path: string): string {
  return (path.split(',')[0] ?? '').trim().replaceAll('"', '')
}
