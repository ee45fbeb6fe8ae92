import { sleep } from '@farebox/protocol/time/clock'
import { changeStoredRun } from '../records/change-run.ts'
import { noteNews } from '../records/run-leases.ts'
import type { RunRow } from '../records/run-row.ts'
import { giveUp } from '../records/sent-jobs.ts'
import { attempt, type Drive } from './drive-step.ts'
import { unsentEvent, type UnorderedJob } from './job-outcomes.ts'

/**
 * Starts ordering jobs of a run, each once the run is written. While the run is paused nothing is ordered; after a
 * cancellation, jobs that were not ordered yet are given up.
 *
 * @param next - the run as it will be written
 * @returns whether the limits allow all orders to be started
 */
export function beginOrders(drive: Drive, next: RunRow, due: readonly UnorderedJob[]): boolean {
  const { means, written } = drive
  const { control } = next.plan
  if (control === 'paused') return true
  const begin = (job: UnorderedJob): boolean =>
    means.activities.begin({ ...next, agentId: job.agentId }, `order ${job.jobId}`, async () => {
      const row = await written
      if (row === undefined) return
      const isCancelled = control === 'cancelled' && !job.isRetry
      const order = row.orders.get(job.jobId)
      await attempt(drive, () =>
        isCancelled
          ? giveUpAndNote(drive, job, 'The run was cancelled before this order was written down.')
          : orderAndNote(drive, next, { ...job, ...(order && { with: order }) }),
      )
    })
  return due.map(begin).every(isBegun => isBegun)
}

async function orderAndNote(drive: Drive, next: RunRow, job: UnorderedJob): Promise<void> {
  const { parts, means } = drive
  const outcome = await means.order(next, job)
  if (outcome.kind === 'ordered') return
  if (outcome.kind === 'later') {
    await sleep(parts.clock, outcome.afterMs, means.signal)
    return await noteNews(parts, next.runId)
  }
  if (!job.isRetry) return await giveUpAndNote(drive, job, outcome.reason)
  await changeStoredRun(parts, next.runId, { events: [unsentEvent(job, outcome.reason)] })
}

async function giveUpAndNote({ parts, run }: Drive, { jobId }: UnorderedJob, reason: string): Promise<void> {
  await giveUp(parts.database, jobId, reason)
  await noteNews(parts, run.runId)
}
