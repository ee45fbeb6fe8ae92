import { checkConnections } from '@farebox/server/internal/postgres/check-connections'
import { checkRightsToWork } from '@farebox/server/internal/postgres/check-rights'
import { connect, type Database } from '@farebox/server/internal/postgres/connect'
import { migrate } from '@farebox/server/internal/postgres/migrate'

/** The path is relative to this file and is the same from `src` and from `dist`. */
const MIGRATIONS = new URL('../../migrations/', import.meta.url)

/** The options for opening the platform's database. */
export interface StorageOptions {
  /** `postgres://user:password@host:port/database` */
  readonly connectionString: string
  /**
   * The server itself, when `connectionString` leads to a pooler that provides connections for one transaction at a
   * time. It is used for migrations and other work that lasts longer.
   */
  readonly directConnectionString?: string | undefined
  /** The platform's own schema; default `farebox_platform`. */
  readonly schema?: string
  /** The maximum number of connections; default 10. */
  readonly connections?: number
  /** Called with the error when an idle connection breaks. */
  readonly onError?: (error: Error) => void
  /** Called before migrations are run, with their number. */
  readonly onMigrating?: (count: number) => void
}

/**
 * Opens the platform's database on PostgreSQL 14 or newer, with the extension `pg_trgm` available, and migrates its
 * schema to the newest version. Every connection has the schema in its search path, so that table names need no prefix.
 *
 * Rejects when the server cannot be reached, is not PostgreSQL or gives the role too few rights, and when a migration is
 * refused.
 *
 * @example
 * ```ts
 * import { openStorage } from '@farebox/platform/storage/open-storage'
 *
 * const database = await openStorage({ connectionString: 'postgres://farebox@127.0.0.1:5432/farebox' })
 * const { rows } = await database.pool.query('SELECT count(*) FROM agents')
 * console.log(rows)
 * await database.pool.end()
 * ```
 */
export async function openStorage(options: StorageOptions): Promise<Database> {
  const { connectionString, schema = 'farebox_platform', connections = 10 } = options
  const isPooled = options.directConnectionString !== undefined
  const direct = options.directConnectionString ?? connectionString
  const database = connect({
    connectionString,
    schema,
    connections,
    program: 'farebox-platform',
    isPooled,
    searchPath: true,
    onError: options.onError ?? (() => undefined),
  })
  try {
    await checkConnections(database, { isPooled, searchPath: true })
    await migrate(direct, {
      folder: MIGRATIONS,
      schema,
      program: 'platform',
      variable: isPooled ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL',
      onMigrating: options.onMigrating,
    })
    await checkRightsToWork(database.pool, schema)
    return database
  } catch (error) {
    await database.pool.end()
    throw error
  }
}
