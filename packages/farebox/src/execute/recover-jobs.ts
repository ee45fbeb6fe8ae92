import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { takeOverJob } from './run/claim-job.ts'
import { isOwnJob } from './request/job-order.ts'
import type { Service } from './service/service.ts'
import type { Log } from '../log.ts'

/** The interval between searches of the store for settlements that a crashed process left open. */
const ROUND_MS = 5_000
/** The number of jobs taken over per round; the others wait for the next round, of this or another replica. */
const MAX_PER_ROUND = 200

type Parts = Pick<Service, 'declaration' | 'payments' | 'jobs' | 'leases' | 'settlements'> & {
  readonly clock: Clock
  readonly log: Log
}

/**
 * Resumes work that a crash interrupted: every saved response whose settlement no process holds any more is claimed and
 * settled here (D8, D32). Only jobs of this agent are taken over, because this agent may not be allowed to ask the
 * facilitator of another one. Runs at the start and then in rounds, until the signal aborts.
 */
export async function recoverJobs(parts: Parts, signal: AbortSignal): Promise<void> {
  const { clock, log } = parts
  while (!signal.aborted) {
    try {
      await takeUpUnresolved(parts, signal)
    } catch (error) {
      log.warn('the job store could not be searched for open settlements', {
        cause: error instanceof Error ? error.message : 'no answer',
      })
    }
    await sleep(clock, ROUND_MS, signal)
  }
}

async function takeUpUnresolved(parts: Parts, signal: AbortSignal): Promise<void> {
  const { jobs, settlements, log } = parts
  const own = (await jobs.unresolved()).filter(jobKey => isOwnJob(parts, jobKey))
  for (const jobKey of own.slice(0, MAX_PER_ROUND)) {
    if (signal.aborted) return
    const stored = await jobs.read(jobKey)
    if (stored === undefined || stored.held || stored.job.state !== 'saved') continue
    const held = await takeOverJob(parts, jobKey, stored.job)
    if (held === undefined) continue
    // The line comes after the first step, so that the job is in flight.
    void settlements.resume(held)
    log.note('resuming a settlement that an earlier process left open', { job: stored.job.jobId })
  }
}
