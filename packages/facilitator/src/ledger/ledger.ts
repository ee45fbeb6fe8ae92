import type { SecretStore } from '../secrets/secret-store.ts'
import type { ReconciliationLedger } from './reconciliation-ledger.ts'
import type { OwnerLedger } from './owner-ledger.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import type { SenderLeases, SettlementLedger } from './settlement-ledger.ts'
import type { Signals } from './signals.ts'

/**
 * Everything a facilitator stores, with one port for each component that uses it, over one store.
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
  /** Whether the store takes writes now; absent for a store that is never away. */
  takesWrites?(): Promise<boolean>
  /** Use of its database connections, for the metrics; absent for a store without connections. */
  pool?(): PoolUse
  close(): Promise<void>
}

/** The open payments. */
export interface LedgerTotals {
  /** Number of holds that have not run out; `heldAtomic` is their sum. */
  readonly held: number
  readonly heldAtomic: bigint
  readonly captured: number
  readonly submitted: number
  /**
   * Seconds since the oldest pending payment was captured: 0 if there is none, undefined if the store does not record it.
   */
  readonly oldestPendingSeconds: number | undefined
}

/** Use of the connections to a database. */
export interface PoolUse {
  readonly open: number
  /** How many of the open connections are idle. */
  readonly idle: number
  /** How many requests wait for a connection. */
  readonly waiting: number
}

/**
 * How failed settlements of a payer limit that payer (PAY-09). This many in a row with one owner bar the payer from that
 * owner for `barredSeconds`; this many with several owners, at most two counted for each, bar the payer from all. Failures
 * with an unlisted owner count for that owner only.
 */
export interface PayerFailureLimits {
  readonly failuresAllowed: number
  readonly barredSeconds: number
}

/** Five failed settlements: holds of that payer are refused for ten minutes. */
export const DEFAULT_PAYER_FAILURE_LIMITS: PayerFailureLimits = { failuresAllowed: 5, barredSeconds: 600 }
