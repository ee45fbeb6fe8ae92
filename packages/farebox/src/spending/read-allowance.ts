import { pause, type PlannedSpend, type SpendTools } from './spend-once.ts'

/**
 * The amount that the next spend of a job can move, in atomic units: the available amount or, when an earlier attempt
 * at the job has already made that spend, its amount. A handler that compares it with its next spend therefore gets the
 * same result in each run of the job, even when that spend used everything that was left.
 *
 * Waits while the spend is in a pending transaction. Throws a `DeadlineError` when the transaction is not in a block by
 * the deadline; rejects when the node gives no answer.
 *
 * @param next the spend that the handler would make now
 */
export async function readAllowance(
  tools: SpendTools,
  next: Pick<PlannedSpend, 'key' | 'ref' | 'deadlineMs'>,
): Promise<bigint> {
  const { reads } = tools
  const { key, ref } = next
  let state = await reads.refState(key, ref)
  while (state === 'pending') {
    await pause(tools, next)
    state = await reads.refState(key, ref)
  }
  const past = state === 'used' ? await reads.findSpend(key, ref) : undefined
  return past?.amountAtomic ?? (await reads.available(key))
}
