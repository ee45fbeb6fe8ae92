import type { Trace } from '@farebox/protocol/internal/trace/traceparent'
import { HireError } from './hire-error.ts'
import type { HireBudget, Hired } from '../handlers.ts'
import type { Holder } from '../jobs/job-store.ts'
import type { Deadline } from './enforce-deadline.ts'

/** The header with the wallets of the agents that hired one another, in order, separated by commas. */
export const HIRE_PATH_HEADER = 'hire-path'

/** The known origin of a job. Callers may omit or forge it. */
export interface CallOrigin {
  /** `HIRE-PATH`: the wallets of the agents that hired one another, up to this agent. */
  readonly hirePath: string | undefined
  /** The trace of `traceparent`, or a new one. */
  readonly trace: Trace
}

/** The job that hires. */
export interface HiringJob {
  readonly jobId: string
  readonly capability: string
  /** Atomic units. */
  readonly priceAtomic: bigint
  /** Lower-case address; undefined in dev mode. */
  readonly payer: string | undefined
  readonly deadline: Deadline
  readonly aborter: AbortController
  /** The holder whose fence protects the records of its orders. */
  readonly holder: Holder
  readonly origin: CallOrigin
}

/** The arguments of a hire as the handler gave them, unchecked. */
export interface HireRequest {
  readonly agent: unknown
  readonly capability: unknown
  readonly input: unknown
  readonly options: unknown
}

/** The hiring of one job. */
export interface JobHiring {
  hire(request: HireRequest): Promise<Hired>
  budget(): Promise<HireBudget>
  /** Resolves when no hire of the job is in progress; at the deadline at the latest. */
  settled(): Promise<void>
}

/** Makes the hiring of each job. */
export interface Hiring {
  forJob(job: HiringJob): JobHiring
}

/** Hiring that refuses every hire. */
export function refuseHiring(why: string): Hiring {
  return {
    forJob: () => ({
      // Async, so that an immediate refusal and a later one both reject.
      async hire({ agent }) {
        const failure = { problem: 'refused', charged: 'no', childErrorType: undefined } as const
        throw new HireError(`cannot hire: ${why}`, { ...failure, agent: String(agent).slice(0, 200) })
      },
      budget: async () => ({ job: '0', day: '0' }),
      settled: () => Promise.resolve(),
    }),
  }
}
