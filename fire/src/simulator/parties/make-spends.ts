import { DeadlineError, InternalError, type JobContext } from 'farebox'
import { jobName } from '../records/job-records.ts'
import { NOBODY } from '../workload/cast.ts'
import type { World } from '../world.ts'

/** Makes a job's spends, one or two and the same each time it is run, and resolves to their transactions. */
export async function makeSpends(
  world: World,
  agent: string,
  context: JobContext,
): Promise<readonly string[]> {
  const drawn = Number.parseInt(context.jobId.slice(0, 4), 16)
  const amounts = Array.from(
    { length: 1 + (drawn % 2) },
    (_, index) => 1_000 + ((drawn >> (index + 1)) % 8) * 500,
  )
  const job = jobName(`${agent}/${context.jobId}`)
  world.spends.planned.set(`${job} ${context.payer}`, amounts.length)
  const made: string[] = []
  try {
    for (const amount of amounts) {
      const order = { token: 'USDC', amount: `0.${String(amount).padStart(6, '0')}`, to: NOBODY }
      const { transaction, resumed } = await context.spend(order)
      if (resumed) world.spends.found()
      made.push(transaction)
    }
  } catch (error) {
    if (made.length === 0 || error instanceof DeadlineError) throw error
    throw new InternalError(failedAfter(made), { cause: error })
  }
  return made
}

/** What a handler says of itself, so that its answer can be compared with it. */
export function failedAfter(made: readonly string[]): string {
  return `failed after ${made.length} spends`
}
