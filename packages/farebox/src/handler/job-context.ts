import type { Clock } from '@farebox/protocol/time/clock'
import type { JobContext } from '../handlers.ts'
import type { JobHiring } from './job-hiring.ts'
import type { JobSpending } from './job-spending.ts'

/** Makes the context that a handler receives with its input. */
export function createJobContext(parts: {
  readonly jobId: string
  readonly capability: string
  readonly payer: string | undefined
  readonly deadlineMs: number
  readonly aborter: AbortController
  readonly clock: Clock
  readonly log: (message: string) => void
  readonly spending: Pick<JobSpending, 'allowance' | 'spend'>
  readonly hiring: Pick<JobHiring, 'hire' | 'budget'>
}): JobContext {
  const { jobId, capability, payer, deadlineMs, aborter, clock, log, spending, hiring } = parts
  return {
    jobId,
    capability,
    payer,
    deadline: deadlineMs / 1_000,
    // The controller creates the signal on first use, because few handlers use it.
    get signal() {
      return aborter.signal
    },
    remainingMs: () => Math.max(0, deadlineMs - clock.nowMs()),
    log,
    allowance: () => spending.allowance(),
    spend: order => spending.spend(order),
    hire: (agent, capability, input, options) => hiring.hire({ agent, capability, input, options }),
    budget: () => hiring.budget(),
  }
}
