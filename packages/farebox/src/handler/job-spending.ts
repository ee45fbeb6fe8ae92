import type { SpenderEntry } from '@farebox/payments/internal/x402/spender-extension'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { Spent } from '../handlers.ts'
import type { Deadline } from './enforce-deadline.ts'

/** The job that spends. */
export interface SpendingJob {
  readonly jobId: string
  readonly capability: string
  /** The payer, whose tokens are spent; undefined in dev mode. */
  readonly payer: string | undefined
  readonly deadline: Deadline
  readonly aborter: AbortController
}

/** The spending of one job. */
export interface JobSpending {
  allowance(): Promise<string>
  /** @param order a `SpendOrder`, unchecked */
  spend(order: unknown): Promise<Spent>
  /** Resolves when no spend of the job is in progress; at the deadline at the latest. */
  settled(): Promise<void>
  /** Text for the job's failure about tokens that were or may have been moved; undefined when nothing was moved. */
  describe(): string | undefined
}

/** Makes the spending of each job. */
export interface Spending {
  /** Sent with the price of a capability that spends; undefined when nothing can be spent. */
  readonly identity?: SpenderEntry
  forJob(job: SpendingJob): JobSpending
}

/** The reason for a refusal when the capability does not declare spending. */
export function notDeclared({ capability }: SpendingJob): string {
  return `the capability ${JSON.stringify(capability)} does not declare EXECUTE_TRANSACTIONS in its permissions`
}

/** Spending that refuses every call. */
export function refuseSpending(why: (job: SpendingJob) => string): Spending {
  return {
    forJob(job) {
      // Async, so that an immediate refusal and a later one both reject.
      const refuse = async (): Promise<never> => {
        throw new InternalError(`cannot spend: ${why(job)}`)
      }
      return { allowance: refuse, spend: refuse, settled: () => Promise.resolve(), describe: () => undefined }
    },
  }
}
