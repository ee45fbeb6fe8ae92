import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkConnections } from './check-connections.ts'
import { checkRightsToWork } from './check-rights.ts'
import { migrate } from './migrate.ts'
import { reachDatabase } from './reach-database.ts'
import { silentLog } from '../log.ts'
import { systemClock } from '@farebox/protocol/time/clock'

const adminUrl = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const TABLE = 'create table things (name text primary key);'
const FUNCTION = 'create function one() returns integer language sql as $$ select 1 $$;'

let admin: pg.Client
let id: string
let role: string
let url: string
let folder: string

beforeEach(async () => {
  admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  id = randomBytes(6).toString('hex')
  role = `rights_role_${id}`
  // A separate database: other tests would see rights on the shared one.
  await admin.query(`create database rights_db_${id}`)
  await admin.query(`create role ${role} login`)
  url = urlFor(role)
  folder = await mkdtemp(join(tmpdir(), 'farebox-rights-'))
  await writeFile(join(folder, '0001-things.sql'), TABLE + FUNCTION)
})

afterEach(async () => {
  await admin.query(`drop database rights_db_${id} with (force)`)
  await admin.query(`drop role ${role}`)
  await admin.end()
  await rm(folder, { recursive: true })
})

test('without a schema the right to create one is named, and sufficient', async () => {
  await expect(run(url)).rejects.toThrow(
    `DATABASE_URL: the role ${role} may not create schema shop: run grant create on database rights_db_${id} to ${role};`,
  )
  await asAdmin(`grant create on database rights_db_${id} to ${role}`)
  await run(url)
  await work(url)
})

test('a schema created by an administrator needs no right on the database', async () => {
  await asAdmin(`create schema shop`)
  await expect(run(url)).rejects.toThrow(
    `may not migrate schema shop: run grant usage on schema shop to ${role}; grant create on schema shop to ${role};`,
  )
  await asAdmin(`grant usage, create on schema shop to ${role}`)
  await run(url)
  await work(url)
})

test('a schema at the latest version starts without the right to create anything', async () => {
  await run(urlFor())
  await asAdmin(`grant usage on schema shop to ${role}; grant all on all tables in schema shop to ${role}`)
  await run(url)
  await work(url)
})

test('a restored schema of another owner is not migrated, and membership in the owner is named', async () => {
  await run(urlFor())
  await asAdmin(
    `grant usage, create on schema shop to ${role}; grant all on all tables in schema shop to ${role}`,
  )
  await writeFile(join(folder, '0002-sizes.sql'), 'alter table things add column size integer;')
  const owner = await asAdmin('select quote_ident(current_user) as name')
  await expect(run(url)).rejects.toThrow(`may not migrate schema shop: run grant ${owner} to ${role};`)
})

test.each([
  ['usage on schema shop', `revoke usage on schema shop from`],
  ['select, insert, update, delete on all tables in schema shop', `revoke select on shop.things from`],
  ['select, insert, update, delete on all tables in schema shop', `revoke insert on shop.things from`],
  ['select, insert, update, delete on all tables in schema shop', `revoke update on shop.things from`],
  ['select, insert, update, delete on all tables in schema shop', `revoke delete on shop.things from`],
  ['execute on all functions in schema shop', `revoke execute on function shop.one() from public,`],
])('the role of the requests lacks a right: grant %s (%s)', async (right, revoke) => {
  await run(urlFor())
  await asAdmin(`grant usage on schema shop to ${role}; grant all on all tables in schema shop to ${role};
    grant execute on all functions in schema shop to ${role}`)
  await work(url)
  await asAdmin(`${revoke} ${role}`)
  await expect(work(url)).rejects.toThrow(
    `DATABASE_URL: the role ${role} may not work in schema shop: run grant ${right} to ${role};`,
  )
})

test('a role that may not connect is refused with the missing right', async () => {
  await asAdmin(`revoke connect on database rights_db_${id} from public`)
  const parts = { clock: systemClock, log: silentLog }
  await expect(reachDatabase(url, () => run(url), parts)).rejects.toThrow(
    `(database "rights_db_${id}"): its role may not connect: run grant connect on the database to the role (42501)`,
  )
})

test('a read-only database, such as a standby, is refused at the start', async () => {
  await asAdmin(`alter role ${role} set default_transaction_read_only = on`)
  const pool = new pg.Pool({ connectionString: url, max: 1, statement_timeout: 10_000 })
  // The database is dropped while the pool closes its connections.
  pool.on('error', () => undefined)
  try {
    const checked = checkConnections({ pool, schema: 'shop' }, { isPooled: false, searchPath: false })
    await expect(checked).rejects.toMatchObject({ code: '25006' })
  } finally {
    await pool.end()
  }
})

/** The test's database as a role; without one, as the administrator. */
function urlFor(user?: string): string {
  const at = new URL(adminUrl)
  at.pathname = `/rights_db_${id}`
  if (user !== undefined) at.username = user
  return at.href
}

async function run(connectionString: string): Promise<void> {
  const files = pathToFileURL(`${folder}/`)
  await migrate(connectionString, {
    folder: files,
    schema: 'shop',
    program: 'shop',
    variable: 'DATABASE_URL',
  })
}

async function work(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await checkRightsToWork(client, 'shop')
  } finally {
    await client.end()
  }
}

/** Runs statements; resolves to the `name` of the first row of a single one. */
async function asAdmin(statements: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: urlFor() })
  await client.connect()
  try {
    const { rows } = await client.query<{ readonly name: string }>(statements)
    return rows?.[0]?.name
  } finally {
    await client.end()
  }
}
