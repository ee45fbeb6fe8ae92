import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { openStorage } from '../../storage/open-storage.ts'

/** The PostgreSQL server of the tests; FAREBOX_TEST_DATABASE_URL sets another. */
export const TEST_DATABASE_URL =
  process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)

/**
 * The id of the vitest process, which drops all its databases when it ends. When undefined, each database is dropped
 * after its use.
 */
const RUN = process.env['FAREBOX_TEST_RUN']
const NAMES = `platform_test_${RUN ?? 'alone'}`

/** An arbitrary constant; the lock lets one process at a time create the template. */
const TEMPLATE_LOCK = 4_020_777

/** A database with the platform's schema. */
export interface OwnDatabase {
  readonly connectionString: string
  /** Disconnects its clients. The database may be emptied and used for another stage. */
  drop(): Promise<void>
}

/**
 * Emptied databases for reuse. Creating a database costs a copy, and dropping one costs a checkpoint of the whole
 * server.
 */
const spares: string[] = []
let untouched: Promise<string> | undefined

/**
 * Creates a database for one stage as a copy of a migrated one, which takes a tenth of the time of the migrations. The
 * migrated database is kept for later runs, under a name derived from the migrations. A used database with an unchanged
 * schema is emptied and renamed for the next stage, so that clients of the last stage cannot reach it.
 */
export async function createOwnDatabase(): Promise<OwnDatabase> {
  const template = await prepareTemplate()
  const name = `${NAMES}_${randomBytes(6).toString('hex')}`
  const spare = spares.pop()
  await asAdministrator(async client => {
    await client.query(
      spare === undefined
        ? `create database ${name} template ${template}`
        : `alter database ${spare} rename to ${name}`,
    )
  })
  untouched ??= inDatabase(name, readSchema)
  await untouched
  return { connectionString: urlOf(name), drop: () => giveBack(name) }
}

async function giveBack(name: string): Promise<void> {
  if (RUN !== undefined && (await inDatabase(name, empty)) === (await untouched)) spares.push(name)
  else await asAdministrator(client => dropDatabase(client, name))
}

/** Drops all databases of this test run. */
export async function dropOwnDatabases(): Promise<void> {
  await asAdministrator(async client => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [`${NAMES}_`],
    )
    for (const { name } of rows) await dropDatabase(client, name)
  })
}

async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  await client.query(`drop database if exists ${name} with (force)`)
}

/** Disconnects all other clients and deletes all rows. Resolves to the identification of the schema. */
async function empty(client: pg.Client): Promise<string> {
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await client.query(EMPTY)
  return await readSchema(client)
}

async function readSchema(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(SCHEMA)
  return rows[0]?.schema ?? ''
}

/** Tables whose rows are written by the migrations. */
const SEEDED = `'migrations', 'report_salt'`

const EMPTY = `do $$
declare one regclass;
begin
  set local session_replication_role = replica;
  for one in select oid from pg_class
    where relnamespace = 'farebox_platform'::regnamespace and relkind = 'r' and relname not in (${SEEDED})
  loop
    execute format('delete from %s', one);
  end loop;
  perform setval(seqrelid::regclass, seqstart, false) from pg_sequence;
end $$`

/**
 * Identifies the schema: each row of these catalogs contains the transaction that wrote it. Statistics and large tables
 * are included because the query planner depends on them.
 */
const SCHEMA = `select concat_ws(' ',
  (select count(*) || ':' || max(oid) from pg_class where relkind <> 't'),
  (select count(*) || ':' || sum(xmin::text::bigint) from pg_attribute where attnum > 0),
  (select count(*) || ':' || sum(xmin::text::bigint) from pg_attrdef),
  (select count(*) || ':' || sum(xmin::text::bigint) from pg_constraint),
  (select count(*) || ':' || sum(xmin::text::bigint) from pg_index),
  (select count(*) || ':' || sum(xmin::text::bigint) from pg_trigger),
  (select count(*) || ':' || sum(xmin::text::bigint) from pg_proc),
  (select count(*) || ':' || sum(xmin::text::bigint) from farebox_platform.report_salt),
  (select count(*) from pg_statistic where starelid >= 16384),
  (select count(*) from pg_class where relkind = 'r' and oid >= 16384 and pg_relation_size(oid) > 100000)
) as schema`

async function prepareTemplate(): Promise<string> {
  const name = `platform_template_${await hashMigrations()}`
  await asAdministrator(async client => {
    if (await exists(client, name)) return
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    if (await exists(client, name)) return
    // Created under another name until it is complete, so that a process killed here leaves no incomplete template.
    const unfinished = `${name}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished}`)
    const storage = await openStorage({ connectionString: urlOf(unfinished), connections: 1 })
    await storage.pool.end()
    await client.query(`alter database ${unfinished} rename to ${name}`)
  })
  return name
}

async function exists(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
  return rowCount === 1
}

/** Hashes the migrations: files with the same names and contents create the same database. */
async function hashMigrations(): Promise<string> {
  const hash = createHash('sha256')
  const files = (await readdir(MIGRATIONS)).toSorted()
  for (const file of files) hash.update(`${file}\n${await readFile(new URL(file, MIGRATIONS), 'utf8')}\n`)
  return hash.digest('hex').slice(0, 12)
}

function asAdministrator(work: (client: pg.Client) => Promise<void>): Promise<void> {
  return connected(TEST_DATABASE_URL, work)
}

function inDatabase<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return connected(urlOf(name), work)
}

async function connected<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    // Also releases an advisory lock.
    await client.end()
  }
}

function urlOf(database: string): string {
  const url = new URL(TEST_DATABASE_URL)
  url.pathname = `/${database}`
  // When the machine is busy, a test that fills a table takes longer than the platform's query timeout.
  url.searchParams.set('query_timeout', '600000')
  url.searchParams.set('statement_timeout', '600000')
  return url.href
}
