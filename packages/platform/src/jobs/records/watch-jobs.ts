import type { PlatformParts } from '../../platform-parts.ts'
import { createVersionWatch, type VersionWatch } from '../../work/watch-versions.ts'

/** Creates a watch for changes of jobs that their payers can see. */
export function createJobWatch(
  parts: Pick<PlatformParts, 'database' | 'clock' | 'log' | 'due'>,
): VersionWatch {
  return createVersionWatch(parts, async jobIds => {
    const rows = await parts.database.query<{ job_id: string; version: string }>(
      'read-job-versions',
      VERSIONS,
      [jobIds],
    )
    return new Map(rows.map(row => [row.job_id, row.version]))
  })
}

/** Everything a payer is shown that can change, except the time. */
const VERSIONS = `
  select job_id, left(md5(concat_ws(' ', attempt, state, answer, payment, charged_without_delivery,
    contents_deleted_at is not null, next_look_at is null)), 16) as version
  from jobs where job_id = any($1::uuid[]) and nonce is not null`
