import { describeError } from '@farebox/server/log'
import { CALLS_PER_HOST } from '../../outbound/limits.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { watchDependencies } from '../../reputation/watch-dependencies.ts'
import { startLoops, type Background } from '../../work/loop.ts'
import { startWorker, type Work } from '../../work/worker.ts'
import { deleteOldContents } from '../records/delete-contents.ts'
import {
  endSendings,
  hostOf,
  JOB_LEASE_MS,
  renewLeases,
  takeJobsToCheckPayment,
  takeJobsToSend,
} from '../records/job-leases.ts'
import type { JobRow } from '../records/job-row.ts'
import { expireOverdue } from '../records/job-store.ts'
import { driveJob } from './drive-job.ts'

/** How the jobs are worked on. */
export interface JobsOptions {
  /** How often due jobs are looked for while there are some; default 100. See `createPollPace`. */
  readonly pollMs?: number
  /** How many are sent at a time in this process; each may bring 5 MB (D37). Default 256. */
  readonly slots?: number
  /** How many of them to one host; more would wait for a turn in the guard. Default as many as it lets through. */
  readonly perHost?: number
  /** How many payments the process checks at a time besides; default 64. */
  readonly paymentCheckSlots?: number
}

const POLL_MS = 100
const SLOTS = 256
const GATHER_MS = 3
const PAYMENT_CHECK_SLOTS = 64
/** No host has more than this part of what the others leave free. */
const PART_OF_FREE = 8
const EXPIRY_EVERY_MS = 1_000
const DELETION_EVERY_MS = 3_600_000

/**
 * Sends jobs and drives them until nothing is left to be done: those that `POST /v1/jobs` has just written down,
 * and those that any process left behind when it ended. Any number of processes share them.
 *
 * A sending may take as long as its agent does. So no host has more of them than the guard would let through, and what
 * became of a payment is checked apart: neither waits for an agent that is slow.
 */
export function startJobs(parts: PlatformParts, options: JobsOptions = {}): Background {
  const { database, clock, due } = parts
  const { slots = SLOTS, perHost = CALLS_PER_HOST, paymentCheckSlots = PAYMENT_CHECK_SLOTS } = options
  const { holder } = due
  const outages = watchDependencies(parts)
  const either = workOnJobs(parts, outages, options)
  const sender = startWorker(clock, {
    ...either,
    slots,
    due: due.jobs,
    gatherMs: GATHER_MS,
    keyOf: ({ endpoint }) => hostOf(endpoint),
    // The fewer are free, the fewer does a host get, and half are left for those that come next: a dozen hosts that never
    // answer must not take all.
    room: free => ({
      limit: Math.ceil(free / 2),
      perKey: Math.min(perHost, Math.ceil(free / PART_OF_FREE)),
    }),
    take: taking => takeJobsToSend(database, { ...taking, holder, nowMs: clock.nowMs() }),
  })
  const paymentChecks = startWorker(clock, {
    ...either,
    // Sendings end with a payment to be checked, of which this worker is not notified.
    pace: { ...either.pace, idleMs: either.pace.pollMs },
    slots: paymentCheckSlots,
    take: ({ limit }) => takeJobsToCheckPayment(database, { holder, limit, nowMs: clock.nowMs() }),
  })
  due.sending.reserve = host => sender.reserve(host)
  const upkeep = startLoops(
    clock,
    [
      { pauseMs: EXPIRY_EVERY_MS, pass: () => expireOverdue(database, clock.nowMs()) },
      { pauseMs: EXPIRY_EVERY_MS, pass: () => endSendings(database, clock.nowMs()) },
      { pauseMs: DELETION_EVERY_MS, pass: () => deleteOldContents(database, clock.nowMs()) },
    ].map(loop => ({ ...loop, onFailure: (error: unknown) => either.onFailure(error) })),
  )
  return {
    async stop() {
      due.sending.reserve = () => undefined
      await Promise.all([sender.stop(), paymentChecks.stop(), upkeep.stop()])
      await outages.stop()
    },
  }
}

/** What sending jobs and checking payments have in common. */
function workOnJobs(
  parts: PlatformParts,
  outages: ReturnType<typeof watchDependencies>,
  { pollMs = POLL_MS }: JobsOptions,
): Omit<Work<JobRow>, 'take' | 'slots'> {
  const { database, clock, log, due } = parts
  const { holder } = due
  return {
    pace: { pollMs, idleMs: pollMs * 20 },
    work: (job, { signal }) => driveJob(parts, job, { holder, signal, outages }),
    lease: {
      ms: JOB_LEASE_MS,
      // Where one is not renewed, another worker sends the same bytes too, which harms nobody.
      renew: jobs =>
        renewLeases(database, { holder, jobIds: jobs.map(({ jobId }) => jobId), nowMs: clock.nowMs() }),
    },
    onFailure(error, job) {
      const failure = { error: describeError(error) }
      if (job === undefined) return log.error('a round of the jobs failed', failure)
      const { runId, jobId } = job
      log.error('driving a job failed', { job: jobId, ...failure })
      // Its end may have been written all the same, of which the run that this process keeps learns from nobody else.
      if (runId !== undefined) due.outcomes.publish({ runId, jobId, body: undefined })
    },
  }
}
