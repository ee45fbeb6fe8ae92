import { HireError } from './hire-error.ts'
import type { HireBudget, Hired } from '../handlers.ts'
import type { Holder } from '../jobs/job-store.ts'
import type { Deadline } from './enforce-deadline.ts'

/** Carries wallets of the agents that hired one another, in order, with a comma between them. */
export const HIRE_PATH_HEADER = 'hire-path'

/** What a request says of where its job comes from. Anybody may leave it out or make it up. */
export interface CallOrigin {
  /** `HIRE-PATH`: wallets of the agents that hired one another up to this one. */
  readonly hirePath: string | undefined
  /** `traceparent` (W3C Trace Context), passed on as it came. */
  readonly traceparent: string | undefined
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
  /** Under whose fence its orders are kept. */
  readonly holder: Holder
  readonly origin: CallOrigin
}

/** A hire as the handler asked for it; nothing of it is checked yet. */
export interface HireRequest {
  readonly agent: unknown
  readonly capability: unknown
  readonly input: unknown
  readonly options: unknown
}

/** What one job may have others do. */
export interface JobHiring {
  hire(request: HireRequest): Promise<Hired>
  budget(): Promise<HireBudget>
  /** Resolves when none of its hires is under way; by the deadline at the latest. */
  settled(): Promise<void>
}

/** How handlers hire other agents. */
export interface Hiring {
  forJob(job: HiringJob): JobHiring
}

/** Hiring that is refused, whatever is asked for. */
export function refuseHiring(why: string): Hiring {
  return {
    forJob: () => ({
      // Async, so that what is refused at once and what is refused later are the same.
      async hire({ agent }) {
        const failure = { problem: 'refused', charged: 'no', childErrorType: undefined } as const
        throw new HireError(`cannot hire: ${why}`, { ...failure, agent: String(agent).slice(0, 200) })
      },
      budget: async () => ({ job: '0', day: '0' }),
      settled: () => Promise.resolve(),
    }),
  }
}
