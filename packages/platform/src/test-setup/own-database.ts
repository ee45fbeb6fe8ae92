import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { openStorage } from '../storage/open-storage.ts'

/** The PostgreSQL of the tests; FAREBOX_TEST_DATABASE_URL names another. */
export const TEST_DATABASE_URL =
  process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)

/** Any constant will do: one process at a time makes the template. */
const TEMPLATE_LOCK = 4_020_777

/** A database with the platform's schema, and how to drop it. */
export interface OwnDatabase {
  readonly connectionString: string
  drop(): Promise<void>
}

/**
 * Makes a database for one test file, as a copy of one that is migrated already: a copy takes a tenth of the time that the
 * migrations take. The migrated one is kept for later runs, under a name that follows from the migrations.
 */
export async function createOwnDatabase(): Promise<OwnDatabase> {
  const template = await prepareTemplate()
  const name = `platform_test_${randomBytes(6).toString('hex')}`
  await asAdministrator(
    async client => void (await client.query(`create database ${name} template ${template}`)),
  )
  return {
    connectionString: urlOf(name),
    drop: () =>
      asAdministrator(
        async client => void (await client.query(`drop database if exists ${name} with (force)`)),
      ),
  }
}

async function prepareTemplate(): Promise<string> {
  const name = `platform_template_${await hashMigrations()}`
  await asAdministrator(async client => {
    if (await exists(client, name)) return
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    if (await exists(client, name)) return
    // Under another name until it is whole: a process that is killed here leaves nothing that is taken for the template.
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

/** Files that say the same make the same database. */
async function hashMigrations(): Promise<string> {
  const hash = createHash('sha256')
  const files = (await readdir(MIGRATIONS)).toSorted()
  for (const file of files) hash.update(`${file}\n${await readFile(new URL(file, MIGRATIONS), 'utf8')}\n`)
  return hash.digest('hex').slice(0, 12)
}

async function asAdministrator(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: TEST_DATABASE_URL })
  await client.connect()
  try {
    await work(client)
  } finally {
    // Gives an advisory lock back as well.
    await client.end()
  }
}

function urlOf(database: string): string {
  const url = new URL(TEST_DATABASE_URL)
  url.pathname = `/${database}`
  return url.href
}
