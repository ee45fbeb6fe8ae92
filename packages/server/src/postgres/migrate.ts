import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import pg from 'pg'

/** An arbitrary constant that no other program's migrations use. */
const ADVISORY_LOCK = 4_020_402
/** The same limit as for one attempt in `reachDatabase`, which retries when this was too short. */
const CONNECT_TIMEOUT_MS = 10_000

/** A set of migrations. */
export interface Migrations {
  /** The folder of the numbered files, with a trailing slash. */
  readonly folder: URL
  readonly schema: string
  /** Name of the program for operators. */
  readonly program: string
  /** Called before the first outstanding migration, with their number. */
  readonly onMigrating?: ((count: number) => void) | undefined
}

/**
 * Migrates a schema to the latest version: runs, in order and each in a transaction of its own, the numbered files that have
 * not run in it yet. There are no downgrades. Processes that start together wait for one another, and a migration may take
 * as long as it needs, for example for an index on a large table. It therefore uses its own connection, without the pool's
 * limits.
 *
 * Throws when the database refuses a file, naming it, and when the schema is newer than this program.
 */
export async function migrate(
  connectionString: string,
  { folder, schema, program, onMigrating }: Migrations,
): Promise<void> {
  const files = (await readdir(folder)).filter(name => /^\d{4}-.*\.sql$/.test(name)).sort()
  const client = new pg.Client({
    connectionString,
    application_name: program,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Queries in progress fail with the same error, so it is ignored here.
  client.on('error', () => undefined)
  await client.connect()
  try {
    // A limit in the server's configuration is meant for requests.
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    try {
      await client.query(`create schema if not exists ${schema}`)
      await client.query(
        `create table if not exists ${schema}.migrations (
          name text primary key, run_at timestamptz not null default now())`,
      )
      const { rows } = await client.query<{ name: string }>(`select name from ${schema}.migrations`)
      const done = new Set(rows.map(row => row.name))
      const unknown = [...done].find(name => !files.includes(name))
      if (unknown !== undefined) {
        throw new Error(
          `schema ${schema} was brought forward by a newer ${program} (${unknown}): start that one`,
        )
      }
      const missing = files.filter(name => !done.has(name))
      if (missing.length > 0) onMigrating?.(missing.length)
      for (const file of missing) await runFile(client, schema, new URL(file, folder))
    } finally {
      await client.query('select pg_advisory_unlock($1)', [ADVISORY_LOCK])
    }
  } finally {
    await client.end()
  }
}

async function runFile(client: pg.Client, schema: string, file: URL): Promise<void> {
  const name = basename(file.pathname)
  const sql = await readFile(file, 'utf8')
  try {
    await client.query('begin')
    await client.query(`set local search_path to ${schema}`)
    await client.query(sql)
    await client.query(`insert into ${schema}.migrations (name) values ($1)`, [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed in schema ${schema}`, { cause: error })
  }
}
