import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect, type Database } from '@farebox/server/src/postgres/connect'
import { migrate } from '@farebox/server/src/postgres/migrate'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertAgent } from '../test-setup/insert-agent.ts'
import { TEST_DATABASE_URL } from '../test-setup/stage-platform.ts'
import { openStorage } from './open-storage.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)

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

/** As a platform of an earlier version left it. */
async function migrateUpTo(last: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-migrations-'))
  const files = (await readdir(MIGRATIONS)).toSorted()
  try {
    for (const file of files.filter(name => name <= last))
      await copyFile(new URL(file, MIGRATIONS), join(folder, file))
    await migrate(TEST_DATABASE_URL, { folder: pathToFileURL(`${folder}/`), schema, program: 'platform' })
    return files
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a database of an earlier version is brought forward, with what is in it, by several processes at once', async () => {
  const files = await migrateUpTo('0001~')
  await insertAgent(database, { agentId: 7 })
  const opened = await Promise.all(
    [1, 2, 3].map(() => openStorage({ connectionString: TEST_DATABASE_URL, schema, connections: 2 })),
  )
  const { rows } = await database.pool.query<{ name: string }>('select name from migrations order by name')
  expect(rows.map(({ name }) => name)).toEqual(files)
  expect(await opened[0]?.query('names', 'select agent_id::int, name from agents')).toEqual([
    { agent_id: 7, name: 'Word counter' },
  ])
  await Promise.all(opened.map(({ pool }) => pool.end()))
})

test('a database of a newer version is left alone, and the refusal says so', async () => {
  await migrateUpTo('9')
  await database.pool.query("insert into migrations (name) values ('9999-newer.sql')")
  await expect(openStorage({ connectionString: TEST_DATABASE_URL, schema })).rejects.toThrow(
    'was brought forward by a newer platform (9999-newer.sql): start that one',
  )
})

test(
  'a migration may take longer than any request, and who starts meanwhile waits for it',
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'farebox-migrations-'))
    await writeFile(join(folder, '0001-slow.sql'), 'select pg_sleep(11); create table slow (one integer);')
    const slow = { folder: pathToFileURL(`${folder}/`), schema, program: 'platform' }
    await Promise.all([migrate(TEST_DATABASE_URL, slow), migrate(TEST_DATABASE_URL, slow)])
    const { rows } = await database.pool.query('select name from migrations')
    expect(rows).toEqual([{ name: '0001-slow.sql' }])
    await rm(folder, { recursive: true })
  },
)
