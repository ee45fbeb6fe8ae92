import type { PaymentChecker } from '@farebox/payments/check-payment'
import type { Network } from '@farebox/payments/networks'
import type { Observation } from '../chain/chain-reader.ts'
import type { Clock } from '@farebox/server/clock'
import type { PaymentLedger } from '../ledger/payment-ledger.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { StoredSecret } from '../secrets/secret-store.ts'
import type { SettlementWaiters } from './settlement-waiters.ts'

/** Who asks: the secret they showed. */
export type Caller = Pick<StoredSecret, 'id' | 'owner' | 'wallets'>

/** What verifying and settling work with. */
export interface Engine {
  readonly network: Network
  readonly checker: PaymentChecker
  readonly ledger: PaymentLedger
  /** Rejects when the chain gives no answer. */
  readonly observe: (payment: LedgerPayment) => Promise<Observation>
  readonly waiters: SettlementWaiters
  readonly clock: Clock
  /** Unix seconds by which authorizations are judged: our clock or the chain's head, whichever is later. */
  readonly chainNow: () => number
  /** Why no new payment should be taken now; undefined where all is well. */
  readonly unavailable: () => string | undefined
  /** Something was captured. */
  readonly onCaptured: () => void
  /** The smallest payment taken: less would not be worth its gas. */
  readonly minimumAtomic: bigint
  /** How many settlements one secret may cause in a UTC day. */
  readonly dailySettlements: number
  /** How long `/settle` waits for the proof before it says pending. */
  readonly settleWaitMs: number
}
