import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'

/** Says when jobs change, to any number of watchers. */
export interface JobWatch {
  /**
   * The version of a job now, and again after each change that its payer would see; several in a short time are one. Ends
   * with the signal, or when there is no such job.
   */
  versions(jobId: string, signal: AbortSignal): AsyncGenerator<string>
}

const LOOK_EVERY_MS = 250

interface Watcher {
  readonly jobId: string
  version: string | undefined
  /** Called when there is something new, or nothing more to come. */
  wake: () => void
}

/**
 * Watches jobs for one process: however many watchers there are, the database is asked one short question at a time, four
 * times a second, and none while nobody watches. A version depends on the job alone, so that every process tells the same.
 */
export function createJobWatch(parts: Pick<PlatformParts, 'database' | 'clock' | 'log'>): JobWatch {
  const { clock, log } = parts
  const watchers = new Set<Watcher>()
  let isLooking = false

  const look = async (): Promise<void> => {
    const versions = await readVersions(parts, [...new Set([...watchers].map(({ jobId }) => jobId))])
    for (const watcher of watchers) {
      const version = versions.get(watcher.jobId)
      if (version === watcher.version) continue
      watcher.version = version
      watcher.wake()
    }
  }
  const lookAgain = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    while (watchers.size > 0) {
      await clock.sleep(LOOK_EVERY_MS)
      // A database that is away is back some day; streams end by themselves.
      if (watchers.size > 0)
        await look().catch((error: unknown) => {
          log.warn('jobs were not watched', { error: describeError(error) })
        })
    }
    isLooking = false
  }

  return {
    async *versions(jobId, signal) {
      let seen = (await readVersions(parts, [jobId])).get(jobId)
      if (seen === undefined || signal.aborted) return
      const watcher: Watcher = { jobId, version: seen, wake: () => undefined }
      const wake = (): void => watcher.wake()
      watchers.add(watcher)
      signal.addEventListener('abort', wake)
      void lookAgain()
      try {
        yield seen
        while (!signal.aborted) {
          if (watcher.version === seen) await new Promise<void>(resolve => (watcher.wake = resolve))
          if (watcher.version === seen) continue
          seen = watcher.version
          if (seen === undefined || signal.aborted) return
          yield seen
        }
      } finally {
        watchers.delete(watcher)
        signal.removeEventListener('abort', wake)
      }
    },
  }
}

/** By the job's id; without those that there are not. */
async function readVersions(
  { database }: Pick<PlatformParts, 'database'>,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query<{ job_id: string; version: string }>('read-job-versions', VERSIONS, [
    jobIds,
  ])
  return new Map(rows.map(row => [row.job_id, row.version]))
}

/** All that changes of what a payer is shown, but for the time. */
const VERSIONS = `
  select job_id, left(md5(concat_ws(' ', attempt, state, answer, payment, charged_without_delivery,
    contents_deleted_at is not null, next_look_at is null)), 16) as version
  from jobs where job_id = any($1::uuid[]) and nonce is not null`
