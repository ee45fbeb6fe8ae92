import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import pg from 'pg'
import { checkRightsToMigrate, readRights, type Rights } from './check-rights.ts'

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
  /** The variable with the connection string, for the message about a missing right. */
  readonly variable: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'
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
 *
 * @throws {EnvironmentError} for a role that lacks a right, with the `grant` to run; nothing was changed
 */
export async function migrate(connectionString: string, migrations: Migrations): Promise<void> {
  const client = new pg.Client({
    connectionString,
    application_name: migrations.program,
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
      await runOutstanding(client, migrations)
    } finally {
      await client.query('select pg_advisory_unlock($1)', [ADVISORY_LOCK])
    }
  } finally {
    await client.end()
  }
}

async function runOutstanding(client: pg.Client, migrations: Migrations): Promise<void> {
  const { folder, schema, program, variable, onMigrating } = migrations
  const files = (await readdir(folder)).filter(name => /^\d{4}-.*\.sql$/.test(name)).sort()
  const rights = await readRights(client, schema)
  checkRightsToMigrate(rights, variable, { isOutstanding: false })
  await makeRoom(client, schema, rights)
  const { rows } = await client.query<{ name: string }>(`select name from ${schema}.migrations`)
  const done = new Set(rows.map(row => row.name))
  const unknown = [...done].find(name => !files.includes(name))
  if (unknown !== undefined) {
    throw new Error(`schema ${schema} was brought forward by a newer ${program} (${unknown}): start that one`)
  }
  const missing = files.filter(name => !done.has(name))
  if (missing.length === 0) return
  checkRightsToMigrate(rights, variable, { isOutstanding: true })
  onMigrating?.(missing.length)
  for (const file of missing) await runFile(client, schema, new URL(file, folder))
}

/** Creates only missing schemas: PostgreSQL requires the right to create even if nothing is created. */
async function makeRoom(client: pg.Client, schema: string, rights: Rights): Promise<void> {
  if (!rights.hasSchema) await client.query(`create schema ${schema}`)
  if (rights.hasMigrations) return
  await client.query(
    `create table ${schema}.migrations (name text primary key, run_at timestamptz not null default now())`,
  )
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
