import type { Database } from '@farebox/server/internal/postgres/connect'
import pg from 'pg'
import { Refusal } from '../http/refusal.ts'

/** What one statement of a search may take; a hundred times what it usually does. */
const STATEMENT_TIMEOUT_MS = 2_000

/**
 * Runs steps that only read, each statement with an end to its time. The planner is held to indexes, for the tables are
 * large and every way that is wanted has one.
 *
 * Throws a {@link Refusal} `unavailable` where a statement's time was over.
 */
export async function inLimitedTime<T>(
  database: Database,
  steps: (client: pg.PoolClient) => Promise<T>,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
): Promise<T> {
  try {
    return await database.inTransaction(async client => {
      await client.query(
        `set transaction read only; set local statement_timeout = ${statementTimeoutMs}; set local jit = off;
         set local enable_seqscan = off; set local max_parallel_workers_per_gather = 0`,
      )
      return await steps(client)
    })
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== QUERY_CANCELED) throw error
    throw new Refusal(
      'unavailable',
      'this search takes too long just now: ask again, or for something narrower',
      {
        cause: error,
        retryAfterSeconds: 5,
      },
    )
  }
}

const QUERY_CANCELED = '57014'
