import type { SecretStore } from '../secrets/secret-store.ts'
import type { ReconciliationLedger } from './reconciliation-ledger.ts'
import type { OwnerLedger } from './owner-ledger.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import type { SenderLeases, SettlementLedger } from './settlement-ledger.ts'
import type { Signals } from './signals.ts'

/**
 * Everything a facilitator remembers, one port for each of those who use it, over one store.
 *
 * @example
 * ```ts
 * import type { Ledger } from '@farebox/facilitator/ledger/ledger'
 *
 * export async function describeOpen(ledger: Ledger): Promise<string> {
 *   const { held, captured, submitted } = await ledger.totals('eip155:84532', Math.floor(Date.now() / 1_000))
 *   return `${held} held, ${captured} captured, ${submitted} on their way to the chain`
 * }
 * ```
 */
export interface Ledger {
  readonly payments: PaymentLedger
  readonly settlements: SettlementLedger
  readonly leases: SenderLeases
  readonly audit: ReconciliationLedger
  readonly secrets: SecretStore
  readonly owners: OwnerLedger
  readonly signals: Signals
  /** The open payments now, for the metrics. Rejects when the store does not answer. */
  totals(network: string, nowSeconds: number): Promise<LedgerTotals>
  /** Its connections now, where it has any, for the metrics. */
  pool?(): PoolUse
  close(): Promise<void>
}

/** What is open. */
export interface LedgerTotals {
  /** Holds in time, and their sum. */
  readonly held: number
  readonly heldAtomic: bigint
  readonly captured: number
  readonly submitted: number
  /** Since the oldest of these was captured: 0 where there is none, undefined where the store keeps no time. */
  readonly oldestPendingSeconds: number | undefined
}

/** Connections to a database. */
export interface PoolUse {
  readonly open: number
  /** Of the open ones. */
  readonly idle: number
  /** Requests that wait for one. */
  readonly waiting: number
}

/**
 * How a payer's failures are held against them (PAY-09): so many in a row with one owner close the door to that owner for
 * so long; so many with several, of each of whom two count at most, the door to all. Unlisted owners count for
 * themselves alone.
 */
export interface PayerFailureLimits {
  readonly failuresAllowed: number
  readonly barredSeconds: number
}

/** Five failed settlements: verifies of that payer are refused for ten minutes. */
export const DEFAULT_PAYER_FAILURE_LIMITS: PayerFailureLimits = { failuresAllowed: 5, barredSeconds: 600 }
