import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import type { Payment, Run } from './run-state.ts'

/** The latest payment of a job. */
export function paymentOf(run: Run, key: string): Payment | undefined {
  return paymentsOf(run, key).at(-1)
}

/**
 * All payments of a job, latest last. Uses own properties only: a step may be called `constructor`, which every object has.
 */
export function paymentsOf(run: Run, key: string): readonly Payment[] {
  return (Object.hasOwn(run.payments, key) ? run.payments[key] : undefined) ?? []
}

/** The run with another state of a job's latest payment. */
export function setPayment(run: Run, key: string, state: Payment['state']): Run {
  const known = paymentsOf(run, key)
  const newest = known.at(-1)
  if (newest === undefined || newest.state === state) return run
  return { ...run, payments: { ...run.payments, [key]: [...known.slice(0, -1), { ...newest, state }] } }
}

/** The sums of a run's payments by state, in decimal USDC. Their total never exceeds `max_total`. */
export interface RunSums {
  /** Charged, as the chain shows. */
  readonly paid: string
  /** Sent, and neither charged nor provably uncharged so far. */
  readonly exposed: string
  /** Signed, but not sent. */
  readonly ready: string
}

/**
 * Adds up the payments of a run.
 *
 * @example
 * ```ts
 * import { sumPayments } from '@farebox/flows/run/payments'
 * import type { Run } from '@farebox/flows/run/run-state'
 *
 * export function describe(run: Run): string {
 *   const { paid, exposed } = sumPayments(run)
 *   return `paid ${paid} USDC, up to ${exposed} more may be charged`
 * }
 * ```
 */
export function sumPayments(run: Run): RunSums {
  const { paid, exposed, ready } = addUp(run)
  return { paid: formatUsdc(paid), exposed: formatUsdc(exposed), ready: formatUsdc(ready) }
}

/** May another payment be accepted? Together with all paid, exposed and ready payments it must stay within the limit. */
export function staysWithin(run: Run, key: string, amount: string): boolean {
  const { paid, exposed, ready } = addUp(run)
  const before = paymentOf(run, key)
  // It replaces an earlier payment that was never sent.
  const given = before?.state === 'ready' ? atomic(before.amount) : 0n
  return paid + exposed + ready - given + atomic(amount) <= atomic(run.max_total)
}

function addUp(run: Run): { readonly paid: bigint; readonly exposed: bigint; readonly ready: bigint } {
  const sums = { paid: 0n, exposed: 0n, ready: 0n }
  for (const { state, amount } of Object.values(run.payments).flat()) {
    if (state === 'paid') sums.paid += atomic(amount)
    if (state === 'sent') sums.exposed += atomic(amount)
    if (state === 'ready') sums.ready += atomic(amount)
  }
  return sums
}

function atomic(amount: string): bigint {
  const read = readUsdc(amount)
  if (!read.ok) throw new TypeError(`an amount that is none: ${read.reason}`)
  return read.atomic
}
