import type { Clock } from '../clock.ts'
import type { JobStore, StoredJob } from './job-store.ts'

/** What the store keeps of a job, read and parsed once for all requests that wait for it in this process. */
export interface JobLooks {
  /** The job as it is now, or as it was just now where somebody holds it or it is settled. */
  look(jobKey: string): Promise<StoredJob | undefined>
  /** The job has changed here: it is read anew. */
  forget(jobKey: string): void
}

interface Look {
  readonly askedMs: number
  readonly stored: Promise<StoredJob | undefined>
  /** Until when it is shared; unknown while it is under way, when it is. */
  untilMs: number | undefined
}

/** A job may hold a response of 5 MiB. */
const MOST_KEPT = 4
/** A look is shared for ten times as long as it took: all looks at one job take a tenth of the time, whoever repeats it. */
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

/** A job that is free, or that there is not, may be claimed: that is decided by a look of one's own. */
function isShared(stored: StoredJob | undefined): boolean {
  return stored !== undefined && (stored.held || stored.job.state === 'settled')
}
