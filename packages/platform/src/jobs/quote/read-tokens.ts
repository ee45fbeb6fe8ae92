import type { Database } from '@farebox/server/internal/postgres/connect'

/** The most tokens of one job that only allow reading. */
const KEPT = 9

/**
 * Adds a read-only token to a job whose order was repeated; the newest ones are kept. The token of the original order
 * always stays first, because only the first token allows deleting.
 */
export async function addReadToken(database: Database, jobId: string, tokenHash: string): Promise<void> {
  await database.query(
    'add-read-token',
    `update jobs set token_hashes = token_hashes[1:1]
       || (token_hashes[2:] || $2::text)[greatest(1, cardinality(token_hashes) - ${KEPT - 1}):]
     where job_id = $1 and cardinality(token_hashes) > 0`,
    [jobId, tokenHash],
  )
}
