import { dropOwnDatabases } from './own-database.ts'

/** Names the databases of this run of the tests, so that they are dropped together at its end. */
export function setup(): () => Promise<void> {
  process.env['FAREBOX_TEST_RUN'] = String(process.pid)
  return async () => {
    // Where no PostgreSQL answers, none were made.
    await dropOwnDatabases().catch(() => undefined)
  }
}
