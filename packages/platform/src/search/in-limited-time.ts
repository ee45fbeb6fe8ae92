import type { Database } from '@farebox/server/internal/postgres/connect'
import pg from 'pg'
import { Refusal } from '../http/refusal.ts'

/** The timeout of one statement of a search: a hundred times its usual duration. */
const STATEMENT_TIMEOUT_MS = 2_000

/**
 * Runs steps that only read, each statement with a timeout. The planner is restricted to indexes, because the tables
 * are large and every intended plan has an index.
 *
 * Throws a {@link Refusal} `unavailable` when a statement times out.
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
