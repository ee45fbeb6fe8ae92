import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { HireRequest, JobHiring } from '../handler/job-hiring.ts'
import type { Hired } from '../handlers.ts'
import { MOST_HIRES } from './hire-bounds.ts'
import { digestOrder, entryName } from './child-job.ts'
import { hireError } from './hire-errors.ts'
import { hireOnce, type HireParts } from './hire-once.ts'
import { checkHireOrder } from './hire-order.ts'

interface UnderWay {
  readonly digest: string
  readonly hire: Promise<Hired>
}

/**
 * Makes the hiring of one run of a handler. Its calls are numbered, so that a repeated run that makes the same calls
 * finds the earlier hires.
 */
export function hireForJob(payer: string | undefined, load: () => Promise<HireParts>): JobHiring {
  const hires = new Map<string, UnderWay>()
  let calls = 0
  const make = (request: HireRequest): Promise<Hired> => {
    const order = checkHireOrder(request)
    const name = entryName(payer, order.key, calls)
    if (order.key === undefined) calls += 1
    const digest = digestOrder(order.agent, order.capability, order.input)
    const before = hires.get(name)
    if (before !== undefined) {
      if (before.digest === digest) return before.hire
      throw hireError(
        'conflict',
        order.agent,
        'no',
        `ctx.hire: key ${JSON.stringify(order.key)} names another hire of this job`,
      )
    }
    if (hires.size >= MOST_HIRES)
      throw hireError('budget', order.agent, 'no', `a job hires ${MOST_HIRES} times at most`)
    const hire = load().then(parts => hireOnce(parts, order, name))
    hires.set(name, { digest, hire })
    // A failed hire is removed, so that a further call with its key tries again from its stored state. The catch also
    // prevents an unhandled rejection when the handler does not await the hire.
    hire.catch(() => hires.delete(name))
    return hire
  }
  return {
    // Async, so that an immediate refusal and a later one both reject.
    hire: async request => await make(request),
    async budget() {
      const { accounts, job, bounds, clock } = await load()
      const day = new Date(clock.nowMs()).toISOString().slice(0, 10)
      const { job: used, sums } = await accounts.totals(job.holder.jobKey, [bounds.dayKey(day)])
      const left = (most: bigint, amount: bigint): string => formatUsdc(most > amount ? most - amount : 0n)
      return { job: left(bounds.mostOfJob, used), day: left(bounds.dayAtomic, sums[0] ?? 0n) }
    },
    async settled() {
      await Promise.allSettled([...hires.values()].map(({ hire }) => hire))
    },
  }
}
