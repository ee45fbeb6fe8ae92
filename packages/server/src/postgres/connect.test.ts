import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabaseDoor, type DatabaseDoor } from '../test-setup/database-door.ts'
import { connect, type Database } from './connect.ts'
import { provesNothingDone } from './database-failure.ts'

const connectionString = process.env['FAREBOX_TEST_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test'

let door: DatabaseDoor
let database: Database
beforeEach(async () => {
  door = await openDatabaseDoor(connectionString)
  database = connect({
    connectionString: door.url,
    schema: 'nowhere',
    connections: 2,
    program: 'test',
    onError: () => undefined,
  })
})
afterEach(async () => {
  await database.pool.end()
  await door.shut()
})

/** The error of a statement or transaction, and whether it proves that nothing was done. */
async function failureOf(
  work: Promise<unknown>,
): Promise<{ readonly name: string; readonly isProof: boolean }> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  )
  return { name: error instanceof Error ? error.name : String(error), isProof: provesNothingDone(error) }
}

test('without a connection, a statement and a transaction prove that nothing was done', async () => {
  await door.shut()
  let begun = 0
  const transaction = failureOf(
    database.inTransaction(async () => {
      begun += 1
      await Promise.resolve()
    }),
  )
  expect(await failureOf(database.query('one', 'select 1'))).toEqual({ name: 'NotConnected', isProof: true })
  expect(await transaction).toEqual({ name: 'NotConnected', isProof: true })
  expect(begun).toBe(0)
})

test('a connection that breaks in the middle of a statement proves nothing', async () => {
  await database.query('one', 'select 1')
  const slow = failureOf(database.query('slow', 'select pg_sleep(600)'))
  await new Promise(resolve => setImmediate(resolve))
  await door.shut()
  expect((await slow).isProof).toBe(false)
})

test('a connection that breaks between two steps of a transaction does not end the process', async () => {
  const steps = database.inTransaction(async client => {
    const broken = new Promise(resolve => client.once('end', resolve))
    await door.shut()
    await broken
    await client.query('select 1')
  })
  expect((await failureOf(steps)).isProof).toBe(true)
})

test('a commit without an answer proves nothing, whatever its error is', async () => {
  const steps = database.inTransaction(async client => {
    const broken = new Promise(resolve => client.once('end', resolve))
    await door.shut()
    await broken
  })
  expect(await failureOf(steps)).toEqual({ name: 'UnknownCommit', isProof: false })
})

test('a demoted primary is reported as such, and a statement that fails otherwise is not', async () => {
  const readOnly = database.inTransaction(async client => {
    await client.query('set transaction read only')
    await client.query('create table nowhere.things (one integer)')
  })
  expect((await failureOf(readOnly)).isProof).toBe(true)
  expect((await failureOf(database.query('wrong', 'select 1 / 0'))).isProof).toBe(false)
})
