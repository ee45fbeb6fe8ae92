import pg from 'pg'

/**
 * SQLSTATE classes with which PostgreSQL refuses its input: data that it cannot store, a violated constraint, or a
 * value too large for an index or a row. All other errors are problems of the database itself and temporary.
 */
const REFUSALS = /^(?:22|23|54)/

/** Whether the database refused its input, so that repeating the statement would fail again. */
export function isRefusedByDatabase(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && REFUSALS.test(error.code ?? '')
}

/**
 * Runs steps within the caller's transaction and resolves to undefined. When the database refuses one, it rolls the
 * steps back and resolves to the error; the transaction can continue. Rejects with any other error, such as an
 * unavailable database.
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
