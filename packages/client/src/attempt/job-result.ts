import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { compileOutput, type Violation } from '@farebox/protocol/fields/compile'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { WholeAnswer } from '../exchange/exchange.ts'
import type { ReadEntry } from './journal-entry.ts'
import type { Completed } from './read-outcome.ts'
import { readSettlement, refuseSettlement } from './read-settlement.ts'

/**
 * A delivered job.
 *
 * @example
 * ```ts
 * import type { JobResult } from '@farebox/client/attempt/job-result'
 *
 * export function describeResult({ output, violation, payment }: JobResult): string {
 *   if (violation !== undefined) return `${violation.field} ${violation.reason}`
 *   return `${JSON.stringify(output)}, paid by ${payment?.transaction ?? 'nobody'}`
 * }
 * ```
 */
export interface JobResult {
  /**
   * The output as declared, without undeclared fields. If there is a `violation`, or no declaration to check it against, the
   * output as received.
   */
  readonly output: JsonObject
  /**
   * How the output violates its `output_schema`; undefined when it does not. It is reported, not thrown: the job is paid
   * for, so the caller decides what the output is worth.
   */
  readonly violation: Violation | undefined
  readonly jobId: string
  /** Unix seconds, by the agent's clock; undefined when the agent did not send it. */
  readonly completedAt: number | undefined
  /** Undefined when the agent asked for no payment: it runs in dev mode. */
  readonly payment: JobPayment | undefined
  /** The response body as received. */
  readonly raw: string
}

/** The payment for a job. */
export interface JobPayment {
  /** `eip155:<chain id>` */
  readonly network: string
  readonly amountAtomic: bigint
  /** Lower-case addresses. */
  readonly payer: string
  readonly payTo: string
  /** Hash of the transfer, as reported by the agent: undefined when its receipt cannot be right (`receiptProblem`). */
  readonly transaction: string | undefined
  readonly receiptProblem: string | undefined
}

/** Creates the result of a completed job; `pair` is the job with its payment, undefined in dev mode. */
export function jobResult(
  completed: Completed,
  answer: WholeAnswer,
  job: { readonly jobId: string; readonly capability: string; readonly declaration: Declaration | undefined },
  pair?: ReadEntry,
): JobResult {
  return {
    ...checkOutput(completed.output, job.declaration?.capabilities[job.capability]),
    jobId: job.jobId,
    completedAt: completed.completedAt,
    payment: pair && jobPayment(pair, answer),
    raw: answer.text,
  }
}

function checkOutput(
  output: JsonObject,
  capability: Declaration['capabilities'][string] | undefined,
): Pick<JobResult, 'output' | 'violation'> {
  if (capability === undefined) return { output, violation: undefined }
  const checked = compileOutput(capability.output_schema)(output)
  if (!checked.ok) return { output, violation: checked.violation }
  return { output: checked.value, violation: undefined }
}

function jobPayment({ network, authorization }: ReadEntry, answer: WholeAnswer): JobPayment {
  const settlement = readSettlement(answer.headers)
  const receiptProblem = refuseSettlement(settlement, network.id)
  return {
    network: network.id,
    amountAtomic: BigInt(authorization.value),
    payer: authorization.from,
    payTo: authorization.to,
    transaction: receiptProblem === undefined ? settlement?.transaction.toLowerCase() : undefined,
    receiptProblem,
  }
}
