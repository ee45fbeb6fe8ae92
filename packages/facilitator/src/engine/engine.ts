import type { SignatureVerifier } from '@farebox/payments/x402/verify-signature'
import type { Network } from '@farebox/payments/networks'
import type { Clock } from '@farebox/protocol/time/clock'
import type { Observation } from '../chain/chain-reader.ts'
import type { Log } from '@farebox/server/log'
import type { PayerCode } from '../chain/payer-code.ts'
import type { OwnerLimits } from '../ledger/owner-ledger.ts'
import type { CaptureOutcome, CaptureRequest, HoldOutcome, PaymentLedger } from '../ledger/payment-ledger.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'
import type { StoredSecret } from '../secrets/secret-store.ts'
import type { PaymentRequest } from './read-payment-request.ts'
import type { SettlementWaiters } from './settlement-waiters.ts'

/** The caller, identified by its secret. */
export type AuthenticatedCaller = Pick<StoredSecret, 'id' | 'owner' | 'wallets'>

/** The chain's evidence of a payment that the ledger does not have as charged. */
export type RecoveredCharge =
  /** This facilitator charged it for this job; the ledger has the charge again. */
  | { readonly kind: 'recovered'; readonly transaction: string }
  /** This facilitator did not charge it, or not for this job. */
  | { readonly kind: 'none' }
  /** The node shows no use. If a use was seen before, it may be beyond this node's head. */
  | { readonly kind: 'unused' }
  /** It is used, but the node does not show by which transaction: ask again. */
  | { readonly kind: 'unclear' }

/** The dependencies of verifying and settling. */
export interface Engine {
  readonly network: Network
  readonly verifier: SignatureVerifier
  readonly ledger: PaymentLedger
  /** Rejects when the chain gives no answer. */
  readonly observe: (payment: LedgerPayment) => Promise<Observation>
  /** The time of a block, Unix seconds. Rejects when the chain gives no answer. */
  readonly blockSeconds: (blockNumber: bigint) => Promise<number>
  /** The kind of code that the payer's account has. Rejects when the chain gives no answer. */
  readonly readCode: (payer: string) => Promise<PayerCode['kind']>
  readonly log: Log
  /** Warns the operator when an owner's limit is nearly used up. */
  readonly announceBudget: (caller: AuthenticatedCaller, outcome: HoldOutcome) => void
  readonly waiters: SettlementWaiters
  /** Was a settlement of this payer reported that is not recorded yet? */
  readonly isBeingWritten: (payer: string) => boolean
  readonly clock: Clock
  /** Unix seconds for judging authorizations: our clock or the chain's head, whichever is later. */
  readonly chainNow: () => number
  /** Why no new payment can be taken now; undefined when payments can be taken. */
  readonly unavailable: () => string | undefined
  /** Searches the chain for a charge of this facilitator that the ledger lost; see `recoverCharge`. */
  readonly recoverCharge: (caller: AuthenticatedCaller, request: PaymentRequest) => Promise<RecoveredCharge>
  /**
   * Charges a payment in fewer steps when nothing else is in progress; undefined when it must be captured and wait for its
   * turn. Rejects when the ledger gives no answer.
   */
  readonly chargeAtOnce: (request: CaptureRequest) => Promise<CaptureOutcome | undefined>
  /** Called after a payment was captured; `isSent` if its transaction is saved already. */
  readonly onCaptured: (isSent: boolean) => void
  /** The smallest accepted payment: a smaller one would not be worth its gas. */
  readonly minimumAtomic: bigint
  /** The limits of owners: open payments, and use in a day. */
  readonly ownerLimits: OwnerLimits
  /** How long `/settle` waits for the proof before it answers `settlement_pending`. */
  readonly settleWaitMs: number
}
