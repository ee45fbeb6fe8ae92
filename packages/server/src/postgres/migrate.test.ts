import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { migrate } from './migrate.ts'

const connectionString = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
const FIRST = 'create table things (name text primary key);'
const SECOND =
  "alter table things add column size integer not null default 1; insert into things values ('new');"

let pool: pg.Pool
let schema: string
let folder: string

beforeAll(() => {
  pool = new pg.Pool({ connectionString, max: 2 })
})

beforeEach(async () => {
  schema = `migrate_test_${randomBytes(6).toString('hex')}`
  folder = await mkdtemp(join(tmpdir(), 'farebox-migrations-'))
  await add('0001-things.sql', FIRST)
})

afterEach(async () => {
  await pool.query(`drop schema if exists ${schema} cascade`)
  await rm(folder, { recursive: true })
})

afterAll(() => pool.end())

const add = (name: string, sql: string): Promise<void> => writeFile(join(folder, name), sql)
const run = (): Promise<void> =>
  migrate(connectionString, {
    folder: pathToFileURL(`${folder}/`),
    schema,
    program: 'shop',
    variable: 'DATABASE_URL',
  })

async function done(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(`select name from ${schema}.migrations order by name`)
  return rows.map(({ name }) => name)
}

test('a schema of an earlier version is migrated with its contents, by several processes at once', async () => {
  await run()
  await pool.query(`insert into ${schema}.things values ('old')`)
  await add('0002-sizes.sql', SECOND)
  await Promise.all([run(), run(), run()])
  expect(await done()).toEqual(['0001-things.sql', '0002-sizes.sql'])
  const { rows } = await pool.query(`select name, size from ${schema}.things order by name`)
  expect(rows).toEqual([
    { name: 'new', size: 1 },
    { name: 'old', size: 1 },
  ])
})

test('a schema of a newer version is not changed, and the refusal gives the reason', async () => {
  await run()
  await pool.query(`insert into ${schema}.migrations (name) values ('9999-newer.sql')`)
  await expect(run()).rejects.toThrow('was brought forward by a newer shop (9999-newer.sql): start that one')
})

test('a file that the database refuses is named and rolled back, and the files before it stay', async () => {
  await add('0002-sizes.sql', `${SECOND} select no_such_function();`)
  await expect(run()).rejects.toMatchObject({
    message: `migration 0002-sizes.sql failed in schema ${schema}`,
    cause: { code: '42883' },
  })
  expect(await done()).toEqual(['0001-things.sql'])
  expect((await pool.query(`select * from ${schema}.things`)).rows).toEqual([])
  await add('0002-sizes.sql', SECOND)
  await run()
  expect(await done()).toEqual(['0001-things.sql', '0002-sizes.sql'])
})

test('a migration may take longer than any request, and processes that start meanwhile wait for it', async () => {
  await add('0002-slow.sql', 'select pg_sleep(11); create table slow (one integer);')
  await Promise.all([run(), run()])
  expect(await done()).toEqual(['0001-things.sql', '0002-slow.sql'])
})
