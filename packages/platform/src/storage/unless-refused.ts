import pg from 'pg'

/**
 * SQLSTATE classes by which PostgreSQL refuses what it was given: data it cannot keep, a constraint that is violated,
 * more than an index or a row has room for. Everything else is the database's own trouble, and passes.
 */
const REFUSALS = /^(?:22|23|54)/

/** Whether the database is there and refuses what it was given: saying the same again comes to the same. */
export function isRefusedByDatabase(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && REFUSALS.test(error.code ?? '')
}

/**
 * Takes steps within the caller's transaction and resolves to undefined; where the database refuses one, undoes them and
 * resolves to the refusal, and the transaction goes on. Rejects with any other error, a database that is away included.
 */
export async function unlessRefused(
  client: pg.PoolClient,
  steps: () => Promise<unknown>,
): Promise<pg.DatabaseError | undefined> {
  let refusal: pg.DatabaseError | undefined
  await client.query('savepoint before_steps')
  try {
    await steps()
  } catch (error) {
    if (!isRefusedByDatabase(error)) throw error
    refusal = error
    await client.query('rollback to savepoint before_steps')
  }
  await client.query('release savepoint before_steps')
  return refusal
}
