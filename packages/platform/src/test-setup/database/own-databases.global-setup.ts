import { dropOwnDatabases } from './own-database.ts'

/** Sets the name prefix of the databases of this test run, so that they are dropped together at its end. */
export function setup(): () => Promise<void> {
  process.env['FAREBOX_TEST_RUN'] = String(process.pid)
  return async () => {
    // When no PostgreSQL server responds, no databases were created.
    await dropOwnDatabases().catch(() => undefined)
  }
}
