import pg from 'pg'

/** Queries against one schema, each a named prepared statement unless a pooler hands the connections out. */
export interface Database {
  readonly schema: string
  readonly pool: pg.Pool
  /** Runs `text`, where it can be prepared under `name`; the same name always goes with the same text. */
  query<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>
  /** Runs the steps in one transaction, undone when they throw. */
  inTransaction<T>(steps: (client: pg.PoolClient) => Promise<T>): Promise<T>
}

/**
 * What every query may take before it is given up; a database that is slower is as good as down. While a program starts
 * it is asked again: see `reachDatabase`.
 */
const QUERY_TIMEOUT_MS = 10_000
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/

/**
 * Opens a pool. Nothing is sent yet. `onError` hears of idle connections that broke; the pool replaces them.
 *
 * Throws for a schema that is no plain lower-case identifier.
 */
export function connect(options: {
  readonly connectionString: string
  readonly schema: string
  readonly connections: number
  /** As the server lists who is connected. */
  readonly program: string
  /** Whether bare table names mean those of the schema; extensions of the database are found as well. */
  readonly searchPath?: boolean
  /**
   * A pooler such as PgBouncer hands out a server connection for one transaction at a time: nothing is prepared or set for
   * longer. Timeout and search path are then the role's; see `checkConnections`.
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
      const { rows } = await pool.query<Row>({
        ...(!isPooled && { name: `${schema}.${name}`.slice(-63) }),
        text,
        values: [...values],
      })
      return rows
    },
    inTransaction: steps => runInTransaction(pool, steps),
  }
}

async function runInTransaction<T>(pool: pg.Pool, steps: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await steps(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // The connection is thrown away with whatever state it is in; the server undoes what was not committed.
    client.release(true)
    throw error
  }
}
