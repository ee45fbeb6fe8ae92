import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import type { RunPayment, RunProgress } from '@farebox/platform-api/flows/runs'
import { readUsdc } from '@farebox/protocol/money/usdc'

/**
 * The possible cost of a run as counted by this client: the sum of everything ever signed for it. Whether a signature was
 * deleted or expired unused is only the platform's word; `maxTotal` holds whatever the platform reports or does.
 */
export interface RunSpending {
  /** Counts signed payments before they are sent. */
  add(payments: readonly RunPayment[]): void
  /** Counts the payments in the platform's view of the run: another client may have signed too. */
  note(run: RunProgress): void
  /** May this much more be signed? */
  fits(amountAtomic: bigint): boolean
  /** Atomic units. */
  readonly total: bigint
}

/** Starts with the earlier signatures. */
export function createSpending(maxAtomic: bigint, payments: readonly RunPayment[]): RunSpending {
  const amounts = new Map<string, bigint>()
  let paidAtomic = 0n
  const sum = (): bigint => [...amounts.values()].reduce((total, amount) => total + amount, 0n)
  const add = (more: readonly RunPayment[]): void => {
    for (const { job_id: jobId, payment } of more) amounts.set(jobId, readAuthorization(payment).amountAtomic)
  }
  const spending: RunSpending = {
    add,
    note({ paid, steps }) {
      paidAtomic = atomic(paid)
      for (const { payment } of steps.flatMap(({ jobs }) => jobs))
        if (payment !== null && !amounts.has(payment.job_id))
          amounts.set(payment.job_id, atomic(payment.amount))
    },
    fits: amountAtomic => spending.total + amountAtomic <= maxAtomic,
    get total() {
      const signed = sum()
      return paidAtomic > signed ? paidAtomic : signed
    },
  }
  add(payments)
  return spending
}

/** The amount of a payment, and until when it is valid. */
export function readAuthorization(header: string): {
  readonly amountAtomic: bigint
  /** Unix seconds. */
  readonly validBefore: number
} {
  const decoded = decodePaymentHeader(header)
  if (!decoded.ok) throw new TypeError(`run record: a payment is none: ${decoded.reason}`)
  const { value, validBefore } = decoded.payment.authorization
  return { amountAtomic: BigInt(value), validBefore: Number(validBefore) }
}

function atomic(amount: string): bigint {
  const read = readUsdc(amount)
  // An unreadable amount counts as larger than any limit.
  return read.ok ? read.atomic : 2n ** 256n
}
