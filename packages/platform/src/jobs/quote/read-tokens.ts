import type { Database } from '@farebox/server/internal/postgres/connect'

/** Of those that only read. */
const KEPT = 9

/**
 * Gives whoever repeats an order one more token to read its job with; of many, the newest are kept. The token of the
 * order itself stays the first of all, whatever comes after it: it alone can delete.
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
