import type { Clock } from '@farebox/protocol/time/clock'
import type { JobStore, StoredJob } from './job-store.ts'

/** Reads of jobs, shared by all requests that wait for the same job in this process. */
export interface JobLooks {
  /** The job. Where it is held or settled, the answer may be a moment old. */
  look(jobKey: string): Promise<StoredJob | undefined>
  /** Call it when this process has changed the job: the next look reads the store. */
  forget(jobKey: string): void
}

interface Look {
  readonly askedMs: number
  readonly stored: Promise<StoredJob | undefined>
  /** Until when it is shared. Undefined while it is under way; it is shared then. */
  untilMs: number | undefined
}

/** A job may hold a response of 5 MiB. */
const MOST_KEPT = 4
/** A look is shared for ten times as long as it took, so that repeats of one job use a tenth of the time at most. */
const SHARED_TIMES = 10
const LONGEST_SHARED_MS = 100

/** Makes them, for one store. */
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

/** A job that may be claimed is not shared: the request that claims it decides by its own look. */
function isShared(stored: StoredJob | undefined): boolean {
  return stored !== undefined && (stored.held || stored.job.state === 'settled')
}
