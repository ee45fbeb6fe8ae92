import type { JobPayment, JobResult } from '@farebox/client/attempt/job-result'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { CommandError, type ExitCode } from '../../command-error.ts'

/** The output of `farebox call --json` for a delivered job. */
export interface DeliveredDocument {
  readonly ok: true
  readonly job_id: string
  readonly capability: string
  readonly output: JsonObject
  /** Null when the agent asked for no payment, because it runs in dev mode. */
  readonly payment: {
    /** Decimal. */
    readonly amount: string
    readonly currency: 'USDC'
    /** `eip155:<chain id>` */
    readonly network: string
    readonly payer: string
    readonly pay_to: string
    /** Null when the agent's receipt cannot be right; `receipt_problem` then says why. */
    readonly transaction: string | null
    readonly receipt_problem?: string
    /** Whether a node has confirmed the transfer; false means that only the agent reported it. */
    readonly confirmed: boolean
  } | null
  /** Unix seconds; null when the agent did not state it. */
  readonly completed_at: number | null
  readonly violation?: { readonly field: string; readonly reason: string }
}

export interface FailureDocument {
  readonly ok: false
  readonly job_id?: string
  readonly capability?: string
  readonly error: {
    /** One of the five error types of the interface, or `unresolved`, `refused`, `stopped`. */
    readonly type: string
    readonly message: string
    readonly next?: string
  }
  readonly charged: 'no' | 'yes' | 'unknown'
  /** Unix seconds until which a sent payment could still be charged; omitted when none can be. */
  readonly chargeable_until?: number
  readonly transaction?: string
}

/**
 * Builds the document of a delivered job.
 *
 * @param isConfirmed whether a node has confirmed the transfer
 */
export function deliveredDocument(
  result: JobResult,
  capability: string,
  isConfirmed = false,
): DeliveredDocument {
  const { output, violation, jobId, completedAt, payment } = result
  return {
    ok: true,
    job_id: jobId,
    capability,
    output,
    payment: payment === undefined ? null : paymentOf(payment, isConfirmed),
    completed_at: completedAt ?? null,
    ...(violation === undefined ? {} : { violation }),
  }
}

function paymentOf(payment: JobPayment, confirmed: boolean): NonNullable<DeliveredDocument['payment']> {
  const { amountAtomic, network, payer, payTo, transaction, receiptProblem } = payment
  return {
    amount: formatUsdc(amountAtomic),
    currency: 'USDC',
    network,
    payer,
    pay_to: payTo,
    transaction: transaction ?? null,
    ...(receiptProblem === undefined ? {} : { receipt_problem: receiptProblem }),
    confirmed,
  }
}

/** A call without an output: the message for a person, the `--json` document, and the exit code. */
export class CallFailure extends CommandError {
  readonly document: FailureDocument

  constructor(
    failure: Omit<FailureDocument, 'ok' | 'error'> & {
      /** `validation`, `unresolved` … */
      readonly type: string
      readonly message: string
      readonly next: string
    },
    options: ErrorOptions & { readonly exitCode?: ExitCode } = {},
  ) {
    const { type, message, next, ...facts } = failure
    super(message, next, options)
    this.document = { ok: false, error: { type, message, ...(next === '' ? {} : { next }) }, ...facts }
  }
}
