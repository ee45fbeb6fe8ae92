import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorage } from '../storage/open-storage.ts'
import { TEST_DATABASE_URL } from '../test-setup/database/own-database.ts'

const NAME = `search_test_${randomBytes(6).toString('hex')}`
/** Asked for where the tests' server does not trust everybody on this machine. */
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

test('whoever owns the database needs nobody: the extension is added', async () => {
  await inDatabase(`owner ${NAME}`, async url => {
    const database = await openStorage({ connectionString: asRole(url) })
    const rows = await database.query('extension', "select 1 from pg_extension where extname = 'pg_trgm'")
    expect(rows).toHaveLength(1)
    await database.pool.end()
  })
})

test('whoever may not add it needs nobody either where it is there', async () => {
  await inDatabase('', async (url, own) => {
    await own.query(
      `create extension pg_trgm schema public; grant create on database ${own.database} to ${NAME}`,
    )
    const database = await openStorage({ connectionString: asRole(url) })
    await database.pool.end()
    await own.query(`drop owned by ${NAME}`)
  })
})

test('where it can not be added, the refusal says who has to do what', async () => {
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

test('where it is in another schema, the refusal says how to move it', async () => {
  await inDatabase('', async (url, own) => {
    await own.query('create schema extensions; create extension pg_trgm schema extensions')
    await expect(openStorage({ connectionString: url })).rejects.toMatchObject({
      cause: { hint: expect.stringContaining('alter extension pg_trgm set schema public') },
    })
  })
})

/** A database of its own, dropped afterwards. */
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
