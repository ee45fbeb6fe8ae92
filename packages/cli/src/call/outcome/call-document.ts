import type { JobPayment, JobResult } from '@farebox/client/attempt/job-result'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { CommandError, type ExitCode } from '../../command-error.ts'

/** What `farebox call --json` says of a delivered job. */
export interface DeliveredDocument {
  readonly ok: true
  readonly job_id: string
  readonly capability: string
  readonly output: JsonObject
  /** Null where the agent asked for none: it runs in dev mode. */
  readonly payment: {
    /** Decimal. */
    readonly amount: string
    readonly currency: 'USDC'
    /** `eip155:<chain id>` */
    readonly network: string
    readonly payer: string
    readonly pay_to: string
    /** Null where the agent's receipt cannot be right; then `receipt_problem` says why. */
    readonly transaction: string | null
    readonly receipt_problem?: string
    /** Whether a node has shown the transfer; false: it is the agent's word. */
    readonly confirmed: boolean
  } | null
  /** Unix seconds; null where the agent did not say. */
  readonly completed_at: number | null
  readonly violation?: { readonly field: string; readonly reason: string }
}

export interface FailureDocument {
  readonly ok: false
  readonly job_id?: string
  readonly capability?: string
  readonly error: {
    /** One of the interface's five, or `unresolved`, `refused`, `stopped`. */
    readonly type: string
    readonly message: string
    readonly next?: string
  }
  readonly charged: 'no' | 'yes' | 'unknown'
  /** Unix seconds until which a payment that was sent could still be used; absent where none can. */
  readonly chargeable_until?: number
  readonly transaction?: string
}

/**
 * The document of a delivered job.
 *
 * @param isConfirmed whether a node has shown the transfer
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

/** A call that brought no output: what a person reads, what `--json` says, and the exit code. */
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
