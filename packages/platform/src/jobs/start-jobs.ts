import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { describeError } from '@farebox/server/log'
import type { Background, PlatformParts } from '../platform-parts.ts'
import { deleteOldContents } from './delete-contents.ts'
import { takeDueJobs } from './job-leases.ts'
import type { JobRow } from './job-row.ts'
import { expireOverdue } from './job-store.ts'
import { lookAfterJob } from './look-after-job.ts'

/** How the jobs are worked on. */
export interface JobsOptions {
  /** How often due jobs are looked for; default 100. */
  readonly pollMs?: number
  /** How many at a time in this process; each may bring 5 MB (D37). Default 256. */
  readonly slots?: number
}

const POLL_MS = 100
const SLOTS = 256
const EXPIRY_EVERY_MS = 1_000
const DELETION_EVERY_MS = 3_600_000

/**
 * Sends jobs and looks after them until nothing is left to be done: those that `POST /v1/jobs` has just written down,
 * and those that any process left behind when it ended. Any number of processes share them.
 */
export function startJobs(parts: PlatformParts, options: JobsOptions = {}): Background {
  const { pollMs = POLL_MS, slots = SLOTS } = options
  const stopping = new AbortController()
  const { signal } = stopping
  // Every job under way listens to it.
  setMaxListeners(0, signal)
  const holder = randomUUID()
  const running = new Set<Promise<void>>()

  const begin = (job: JobRow): void => {
    const work = lookAfterJob(parts, job, { holder, signal })
      .catch((error: unknown) => {
        // Its lease runs out, and somebody looks after it again.
        parts.log.error('a job was not looked after', { job: job.jobId, error: describeError(error) })
      })
      .finally(() => running.delete(work))
    running.add(work)
  }
  const takeDue = async (): Promise<void> => {
    const limit = slots - running.size
    if (limit <= 0) return
    const due = await takeDueJobs(parts.database, { holder, limit, nowMs: parts.clock.nowMs() })
    for (const job of due) begin(job)
  }
  const rounds = Promise.all([
    repeat(parts, signal, pollMs, takeDue),
    repeat(parts, signal, EXPIRY_EVERY_MS, () => expireOverdue(parts.database, parts.clock.nowMs())),
    repeat(parts, signal, DELETION_EVERY_MS, () => deleteOldContents(parts.database, parts.clock.nowMs())),
  ])
  return {
    async stop() {
      stopping.abort()
      await rounds
      await Promise.all(running)
    },
  }
}

async function repeat(
  { clock, log }: PlatformParts,
  signal: AbortSignal,
  everyMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work()
    } catch (error) {
      log.error('a round of the jobs failed', { error: describeError(error) })
    }
    await clock.sleep(everyMs, signal)
  }
}
