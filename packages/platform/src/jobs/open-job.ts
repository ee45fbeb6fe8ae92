import { Refusal } from '../http/refusal.ts'
import type { Caller } from '../http/route.ts'
import type { PlatformParts } from '../platform-parts.ts'
import type { JobRow } from './job-row.ts'
import { readJob } from './job-store.ts'
import { opensJob } from './job-token.ts'

/**
 * A job for whoever paid for it: signed in with the paying address, or showing a token of the job.
 *
 * @throws {Refusal} `not_found` for everybody else, whether there is such a job or not
 */
export async function openJob(
  { database }: Pick<PlatformParts, 'database'>,
  jobId: string,
  shown: { readonly caller: Caller; readonly token: string | undefined },
): Promise<JobRow> {
  const job = await readJob(database, jobId.toLowerCase())
  if (job !== undefined && mayOpen(job, shown)) return job
  throw new Refusal(
    'not_found',
    'jobId: there is no such job for you: sign in as its payer, or show its job_token',
  )
}

function mayOpen(
  job: JobRow,
  { caller, token }: { readonly caller: Caller; readonly token: string | undefined },
): boolean {
  if (caller.kind === 'owner' && caller.address === job.payer) return true
  return token !== undefined && opensJob(token, job.tokenHashes)
}
