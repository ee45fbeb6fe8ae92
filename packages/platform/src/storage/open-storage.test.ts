import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { connect, type Database } from '@farebox/server/src/postgres/connect'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TEST_DATABASE_URL } from '../test-setup/database/own-database.ts'
import { openStorage } from './open-storage.ts'

let schema: string
let database: Database

beforeEach(() => {
  schema = `storage_test_${randomBytes(6).toString('hex')}`
  database = connect({
    connectionString: TEST_DATABASE_URL,
    schema,
    connections: 2,
    program: 'test',
    searchPath: true,
    onError: () => undefined,
  })
})

afterEach(async () => {
  await database.pool.query(`drop schema if exists ${schema} cascade`)
  await database.pool.end()
})

const open = (): Promise<Database> =>
  openStorage({ connectionString: TEST_DATABASE_URL, schema, connections: 2 })

test('a new database gets its tables once, when several processes start at once', async () => {
  const opened = await Promise.all([open(), open(), open()])
  const { rows } = await database.pool.query<{ name: string }>('select name from migrations order by name')
  const files = await readdir(new URL('../../migrations/', import.meta.url))
  expect(rows.map(({ name }) => name)).toEqual(files.toSorted())
  expect(await opened[0]?.query('agents', 'select agent_id from agents')).toEqual([])
  await Promise.all(opened.map(({ pool }) => pool.end()))
})

test('a database of a newer version is not changed, and the refusal says so', async () => {
  const { pool } = await open()
  await pool.end()
  await database.pool.query("insert into migrations (name) values ('9999-newer.sql')")
  await expect(open()).rejects.toThrow(
    'was brought forward by a newer platform (9999-newer.sql): start that one',
  )
})
