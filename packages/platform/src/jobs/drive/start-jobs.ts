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
import { jobFields } from '../records/job-fields.ts'
import type { JobRow } from '../records/job-row.ts'
import { expireOverdue } from '../records/job-store.ts'
import { driveJob } from './drive-job.ts'

/** Options of the workers that drive jobs. */
export interface JobsOptions {
  /** The interval of polling for due jobs while there are some, in milliseconds. Default 100. See `createPollPace`. */
  readonly pollMs?: number
  /** The most sends at a time in this process; each answer may have 5 MB (D37). Default 256. */
  readonly slots?: number
  /**
   * The most sends to one host at a time. Default: as many as the outbound guard allows, because more would only wait
   * there.
   */
  readonly perHost?: number
  /** The most payment checks at a time, in addition to the sends. Default 64. */
  readonly paymentCheckSlots?: number
}

const POLL_MS = 100
const SLOTS = 256
const GATHER_MS = 3
const PAYMENT_CHECK_SLOTS = 64
/** One host gets at most this fraction of the free slots. */
const PART_OF_FREE = 8
const EXPIRY_EVERY_MS = 1_000
const DELETION_EVERY_MS = 3_600_000

/**
 * Sends jobs and drives them until no work is left: new jobs from `POST /v1/jobs`, and jobs of processes that ended. Any
 * number of processes share the work.
 *
 * A send may take the agent's maximum time. Therefore sends to one host are limited, and payments are checked by
 * a separate worker: neither waits for a slow agent.
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
    // A host gets fewer slots the fewer are free, and half of the free slots are kept for later jobs, so that a dozen hosts
    // that never answer cannot occupy all slots.
    room: free => ({
      limit: Math.ceil(free / 2),
      perKey: Math.min(perHost, Math.ceil(free / PART_OF_FREE)),
    }),
    take: taking => takeJobsToSend(database, { ...taking, holder, nowMs: clock.nowMs() }),
  })
  const paymentChecks = startWorker(clock, {
    ...either,
    // Sends end with a payment to check, of which this worker is not notified, so it polls.
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

/** The options that both workers share. */
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
      // If a lease is not renewed, another worker sends the same bytes as well, which is harmless.
      renew: jobs =>
        renewLeases(database, { holder, jobIds: jobs.map(({ jobId }) => jobId), nowMs: clock.nowMs() }),
    },
    onFailure(error, job) {
      const failure = { error: describeError(error) }
      if (job === undefined) return log.error('a round of jobs failed', failure)
      const { runId, jobId } = job
      log.error('could not drive a job', { ...jobFields(job), ...failure })
      // The job's end may have been recorded before the failure; the run in this process has no other source for it.
      if (runId !== undefined) due.outcomes.publish({ runId, jobId, body: undefined })
    },
  }
}
