import type { SpenderEntry } from '@farebox/payments/internal/x402/spender-extension'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { Spent } from '../handlers.ts'
import type { Deadline } from './enforce-deadline.ts'

/** The job that spends. */
export interface SpendingJob {
  readonly jobId: string
  readonly capability: string
  /** Whose tokens they are; undefined in dev mode. */
  readonly payer: string | undefined
  readonly deadline: Deadline
  readonly aborter: AbortController
}

/** What one job may move of its payer's. */
export interface JobSpending {
  allowance(): Promise<string>
  /** @param order a `SpendOrder`, as the handler's author wrote it: unchecked */
  spend(order: unknown): Promise<Spent>
  /** Resolves when none of its spends is under way; by the deadline at the latest. */
  settled(): Promise<void>
  /** What it moved, or may have, in the words of its failure; undefined where it moved nothing. */
  describe(): string | undefined
}

/** How handlers move what payers permitted. */
export interface Spending {
  /** Named with the price of a capability that spends; undefined where nothing can be spent. */
  readonly identity?: SpenderEntry
  forJob(job: SpendingJob): JobSpending
}

/** Why a handler cannot spend whose capability does not declare it. */
export function notDeclared({ capability }: SpendingJob): string {
  return `the capability ${JSON.stringify(capability)} does not declare EXECUTE_TRANSACTIONS in its permissions`
}

/** Spending that is refused, whatever is asked for. */
export function refuseSpending(why: (job: SpendingJob) => string): Spending {
  return {
    forJob(job) {
      // Async, so that what is refused at once and what is refused later are the same.
      const refuse = async (): Promise<never> => {
        throw new InternalError(`cannot spend: ${why(job)}`)
      }
      return { allowance: refuse, spend: refuse, settled: () => Promise.resolve(), describe: () => undefined }
    },
  }
}
