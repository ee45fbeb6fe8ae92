import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorage } from '../storage/open-storage.ts'
import { TEST_DATABASE_URL } from '../test-setup/database/own-database.ts'

const NAME = `search_test_${randomBytes(6).toString('hex')}`
/** Needed when the server of the tests does not trust all local users. */
const PASSWORD = randomBytes(16).toString('hex')

let administrator: pg.Client

beforeAll(async () => {
  administrator = await connect(TEST_DATABASE_URL)
  await administrator.query(`create role ${NAME} login password '${PASSWORD}'`)
})

afterAll(async () => {
  await administrator.query(`drop role if exists ${NAME}`)
  await administrator.end()
})

test('an owner of the database needs no administrator: the extension is created', async () => {
  await inDatabase(`owner ${NAME}`, async url => {
    const database = await openStorage({ connectionString: asRole(url) })
    const rows = await database.query('extension', "select 1 from pg_extension where extname = 'pg_trgm'")
    expect(rows).toHaveLength(1)
    await database.pool.end()
  })
})

test('a user without that right needs no administrator either if the extension exists', async () => {
  await inDatabase('', async (url, own) => {
    await own.query(
      `create extension pg_trgm schema public; grant create on database ${own.database} to ${NAME}`,
    )
    const database = await openStorage({ connectionString: asRole(url) })
    await database.pool.end()
    await own.query(`drop owned by ${NAME}`)
  })
})

test('if it cannot be created, the error states the fix', async () => {
  await inDatabase('', async (url, own) => {
    await own.query('drop schema public')
    await expect(openStorage({ connectionString: url })).rejects.toMatchObject({
      message: expect.stringContaining('0001-platform.sql'),
      cause: {
        message: expect.stringContaining('needs the PostgreSQL extension pg_trgm'),
        hint: expect.stringContaining('create extension pg_trgm schema public'),
      },
    })
  })
})

test('if it is in another schema, the error states how to move it', async () => {
  await inDatabase('', async (url, own) => {
    await own.query('create schema extensions; create extension pg_trgm schema extensions')
    await expect(openStorage({ connectionString: url })).rejects.toMatchObject({
      cause: { hint: expect.stringContaining('alter extension pg_trgm set schema public') },
    })
  })
})

/** Runs the test in a database of its own, which is dropped afterwards. */
async function inDatabase(
  options: string,
  steps: (url: string, own: pg.Client) => Promise<void>,
): Promise<void> {
  const url = new URL(TEST_DATABASE_URL)
  url.pathname = `/${NAME}`
  await administrator.query(`create database ${NAME} ${options} template template0`)
  const own = await connect(url.href)
  try {
    await steps(url.href, own)
  } finally {
    await own.end()
    await administrator.query(`drop database ${NAME} with (force)`)
  }
}

function asRole(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.username = NAME
  url.password = PASSWORD
  return url.href
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
