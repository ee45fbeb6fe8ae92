import type { Clock } from '@farebox/protocol/time/clock'
import type { JobStore, StoredJob } from './job-store.ts'

/** Reads of jobs, shared by all requests of this process that wait for the same job. */
export interface JobLooks {
  /** Reads a job. For a held or settled job the result may be slightly out of date. */
  look(jobKey: string): Promise<StoredJob | undefined>
  /** Call this after this process has changed the job, so that the next read goes to the store. */
  forget(jobKey: string): void
}

interface Look {
  readonly askedMs: number
  readonly stored: Promise<StoredJob | undefined>
  /** The time until which the result is shared. Undefined while the read is in progress, which is shared as well. */
  untilMs: number | undefined
}

/** Kept small, because a job may contain a response of 5 MiB. */
const MOST_KEPT = 4
/**
 * A result is shared for ten times as long as its read took, so that reads of one job take at most a tenth of the time.
 */
const SHARED_TIMES = 10
const LONGEST_SHARED_MS = 100

/** Makes the shared reads of one store. */
export function createJobLooks(store: Pick<JobStore, 'read'>, clock: Clock): JobLooks {
  const kept = new Map<string, Look>()
  const read = (jobKey: string): Promise<StoredJob | undefined> => {
    const look: Look = { askedMs: clock.nowMs(), stored: store.read(jobKey), untilMs: undefined }
    kept.delete(jobKey)
    kept.set(jobKey, look)
    const [oldest] = kept.keys()
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
    const drop = (): void => {
      if (kept.get(jobKey) === look) kept.delete(jobKey)
    }
    look.stored.then(stored => {
      const nowMs = clock.nowMs()
      look.untilMs = nowMs + Math.min(LONGEST_SHARED_MS, SHARED_TIMES * (nowMs - look.askedMs))
      if (!isShared(stored)) drop()
    }, drop)
    return look.stored
  }
  return {
    async look(jobKey) {
      const known = kept.get(jobKey)
      if (known === undefined) return await read(jobKey)
      if (known.untilMs !== undefined && clock.nowMs() >= known.untilMs) return await read(jobKey)
      const stored = await known.stored
      return isShared(stored) ? stored : await store.read(jobKey)
    },
    forget: jobKey => void kept.delete(jobKey),
  }
}

/** A job that may be claimed is not shared, so that a request claims it only on the basis of its own read. */
function isShared(stored: StoredJob | undefined): boolean {
  return stored !== undefined && (stored.held || stored.job.state === 'settled')
}
