import { pause, type PlannedSpend, type SpendTools } from './spend-once.ts'

/**
 * What the next spend of a job can move, in atomic units: what is available or, where an earlier attempt at the job has
 * made that spend already, its amount. A handler that compares it with what it is about to spend comes to the same end each
 * time the job is run, also where that spend took all that was left.
 *
 * A spend that waits for a block is waited for. Throws a `DeadlineError` where it is in none by the deadline; rejects where
 * the node gives no answer.
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
