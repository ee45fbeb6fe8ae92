import { setMaxListeners } from 'node:events'
import { describeError } from '@farebox/server/log'
import { repeat } from '@farebox/server/internal/repeat'
import { CALLS_PER_HOST } from '../../outbound/limits.ts'
import type { Background, PlatformParts } from '../../platform-parts.ts'
import { watchDependencies } from '../../reputation/watch-dependencies.ts'
import { createPollPace } from '../../poll-pace.ts'
import { deleteOldContents } from '../records/delete-contents.ts'
import {
  endSendings,
  LEASE_MS,
  renewLeases,
  takeJobsToCheckPayment,
  takeJobsToSend,
} from '../records/job-leases.ts'
import type { JobRow } from '../records/job-row.ts'
import { expireOverdue } from '../records/job-store.ts'
import { createCrowdedHosts } from './crowded-hosts.ts'
import { createJobsUnderWay, findRoom } from './jobs-under-way.ts'
import { driveJob } from './drive-job.ts'

/** How the jobs are worked on. */
export interface JobsOptions {
  /** How often due jobs are looked for while there are some; default 100. See {@link createPollPace}. */
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
const PAYMENT_CHECK_SLOTS = 64
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
  const { database, clock, log } = parts
  const {
    pollMs = POLL_MS,
    slots = SLOTS,
    perHost = CALLS_PER_HOST,
    paymentCheckSlots = PAYMENT_CHECK_SLOTS,
  } = options
  const stopping = new AbortController()
  const { signal } = stopping
  // Every job under way listens to it.
  setMaxListeners(0, signal)
  const { holder } = parts.due
  const outages = watchDependencies(parts)
  const sendings = createJobsUnderWay()
  const paymentChecks = createJobsUnderWay()

  const pace = createPollPace(clock, { pollMs, idleMs: pollMs * 20 })
  const leased = new Set<JobRow>()
  const drive = async (job: JobRow): Promise<void> => {
    leased.add(job)
    pace.busy()
    try {
      await driveJob(parts, job, { holder, signal, outages })
    } catch (error) {
      // Its lease runs out, and somebody drives it again.
      parts.log.error('driving a job failed', { job: job.jobId, error: describeError(error) })
      // Its end may have been written all the same, of which the run that this process keeps hears from nobody else.
      const { runId, jobId } = job
      if (runId !== undefined) parts.due.outcomes.publish({ runId, jobId, body: undefined })
    } finally {
      leased.delete(job)
      pace.busy()
    }
  }
  /** Where a lease is not renewed, another worker sends the same bytes too, which harms nobody. */
  const renew = async (): Promise<void> => {
    const jobIds = [...leased].map(({ jobId }) => jobId)
    await renewLeases(database, { holder, jobIds, nowMs: clock.nowMs() })
  }
  const crowded = createCrowdedHosts()
  const send = async (): Promise<void> => {
    const room = findRoom(slots - sendings.size, perHost)
    if (room.limit <= 0) return
    const underWay = new Map(sendings.byHost)
    const taken = await takeJobsToSend(database, { holder, nowMs: clock.nowMs(), underWay, ...room })
    for (const { job, host } of taken) sendings.add(host, drive(job))
    crowded.note(
      taken.map(({ host }) => host),
      { room, underWay },
    )
  }
  parts.due.sending.serve(host => {
    const room = findRoom(slots - sendings.size, perHost)
    const isFree = !signal.aborted && room.limit > 0 && (sendings.byHost.get(host) ?? 0) < room.perHost
    if (!isFree || crowded.has(host)) {
      crowded.add(host)
      return undefined
    }
    return sendings.reserve(host, holder, (job: JobRow) => drive(job))
  })
  const sendThenWait = async (): Promise<void> => {
    try {
      await send()
    } finally {
      await parts.due.jobs.wait(leased.size > 0 ? pollMs : pace.pauseMs(), signal)
    }
  }
  const checkPayments = async (): Promise<void> => {
    const limit = paymentCheckSlots - paymentChecks.size
    if (limit <= 0) return
    const due = await takeJobsToCheckPayment(database, { holder, limit, nowMs: clock.nowMs() })
    for (const job of due) paymentChecks.add('', drive(job))
  }
  const checkPaymentsThenWait = async (): Promise<void> => {
    try {
      await checkPayments()
    } finally {
      await clock.sleep(leased.size > 0 ? pollMs : pace.pauseMs(), signal)
    }
  }
  const onFailure = (error: unknown): void =>
    log.error('a round of the jobs failed', { error: describeError(error) })
  const every = (everyMs: number, work: () => Promise<unknown>): Promise<void> =>
    repeat(clock, { everyMs, signal, onFailure }, work)
  const rounds = Promise.all([
    every(0, () => sendThenWait()),
    every(0, checkPaymentsThenWait),
    every(LEASE_MS / 3, renew),
    every(EXPIRY_EVERY_MS, () => expireOverdue(database, clock.nowMs())),
    every(EXPIRY_EVERY_MS, () => endSendings(database, clock.nowMs())),
    every(DELETION_EVERY_MS, () => deleteOldContents(database, clock.nowMs())),
  ])
  return {
    async stop() {
      stopping.abort()
      parts.due.sending.serve(undefined)
      await rounds
      await Promise.all([sendings.ended(), paymentChecks.ended()])
      await outages.stop()
    },
  }
}
