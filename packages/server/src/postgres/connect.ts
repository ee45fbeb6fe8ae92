import pg from 'pg'
import { isDatabaseAway, NotConnected, UnknownCommit } from './database-failure.ts'

/** Queries in one schema, each as a named prepared statement unless a pooler assigns the connections. */
export interface Database {
  readonly schema: string
  readonly pool: pg.Pool
  /**
   * Runs `text`, prepared under `name` if possible; the same name must always be used with the same text.
   *
   * @throws {NotConnected} when it was not sent
   */
  query<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>
  /**
   * Runs the steps in one transaction, which is rolled back when they throw.
   *
   * @throws {NotConnected} when the steps were not begun; {@link UnknownCommit} when the database went away at the end
   */
  inTransaction<T>(steps: (client: pg.PoolClient) => Promise<T>): Promise<T>
}

/**
 * The time limit of a query; a slower database counts as unavailable. During the start of a program the query is repeated:
 * see `reachDatabase`.
 */
const QUERY_TIMEOUT_MS = 10_000
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/

/**
 * Opens a pool without sending anything. `onError` is called for idle connections that broke; the pool replaces them.
 *
 * Throws for a schema that is not a plain lower-case identifier.
 */
export function connect(options: {
  readonly connectionString: string
  readonly schema: string
  readonly connections: number
  /** The name of the connected program in the server's list of connections. */
  readonly program: string
  /** Do table names without a schema refer to the configured schema? Extensions of the database are found as well. */
  readonly searchPath?: boolean
  /**
   * A pooler such as PgBouncer assigns a server connection for one transaction at a time, so nothing is prepared or set for
   * longer. Timeout and search path are then settings of the role; see `checkConnections`.
   */
  readonly isPooled?: boolean
  readonly onError: (error: Error) => void
}): Database {
  const { connectionString, schema, connections, program, isPooled = false, onError } = options
  if (!SCHEMA_NAME.test(schema))
    throw new Error(`schema must be a plain lower-case name, got ${JSON.stringify(schema)}`)
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    application_name: program,
    ...(options.searchPath === true && !isPooled && { options: `-c search_path=${schema},public` }),
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    ...(!isPooled && { statement_timeout: QUERY_TIMEOUT_MS }),
  })
  pool.on('error', onError)
  return {
    schema,
    pool,
    async query<Row extends pg.QueryResultRow>(name: string, text: string, values: readonly unknown[] = []) {
      const prepared = !isPooled && { name: `${schema}.${name}`.slice(-63) }
      return await onConnection(pool, async client => {
        const { rows } = await client.query<Row>({ ...prepared, text, values: [...values] })
        return rows
      })
    },
    inTransaction: steps => runInTransaction(pool, steps),
  }
}

async function runInTransaction<T>(pool: pg.Pool, steps: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return await onConnection(pool, async client => {
    await client.query('begin')
    const result = await steps(client)
    try {
      await client.query('commit')
    } catch (error) {
      throw isDatabaseAway(error) ? new UnknownCommit(error) : error
    }
    return result
  })
}

/**
 * Lends a connection. After a failure it is discarded whatever its state; the server rolls back uncommitted work.
 */
async function onConnection<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw new NotConnected(error)
  })
  // A connection that breaks between two queries emits an error that would end the process; the next query reports it.
  client.on('error', ignore)
  let hasFailed = true
  try {
    const result = await use(client)
    hasFailed = false
    return result
  } finally {
    client.release(hasFailed)
    client.off('error', ignore)
  }
}

function ignore(): void {
  // Reported by the query in progress, or by the next one.
}
