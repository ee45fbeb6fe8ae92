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

/** The caller: the secret it showed. */
export type AuthenticatedCaller = Pick<StoredSecret, 'id' | 'owner' | 'wallets'>

/** The chain's evidence of a payment that the ledger does not have as charged. */
export type RecoveredCharge =
  /** We charged it for this job: the ledger has it again. */
  | { readonly kind: 'recovered'; readonly transaction: string }
  /** It was not charged by us, or not for this job. */
  | { readonly kind: 'none' }
  /** Nothing has used it, as far as the node shows: one that was seen used may be beyond this node's head. */
  | { readonly kind: 'unused' }
  /** It is used, and the node does not show by what: ask again. */
  | { readonly kind: 'unclear' }

/** The dependencies of verifying and settling. */
export interface Engine {
  readonly network: Network
  readonly verifier: SignatureVerifier
  readonly ledger: PaymentLedger
  /** Rejects when the chain gives no answer. */
  readonly observe: (payment: LedgerPayment) => Promise<Observation>
  /** When a block was made, Unix seconds. Rejects when the chain gives no answer. */
  readonly blockSeconds: (blockNumber: bigint) => Promise<number>
  /** The kind of code that the payer's account has. Rejects when the chain gives no answer. */
  readonly readCode: (payer: string) => Promise<PayerCode['kind']>
  readonly log: Log
  /** Tells the operator that an owner's limit is near. */
  readonly announceBudget: (caller: AuthenticatedCaller, outcome: HoldOutcome) => void
  readonly waiters: SettlementWaiters
  /** Was a settlement of this payer reported that is not recorded yet? */
  readonly isBeingWritten: (payer: string) => boolean
  readonly clock: Clock
  /** Unix seconds by which authorizations are judged: our clock or the chain's head, whichever is later. */
  readonly chainNow: () => number
  /** Why no new payment should be taken now; undefined where all is well. */
  readonly unavailable: () => string | undefined
  /** Asks the chain for a charge of ours that the ledger forgot; see `recoverCharge`. */
  readonly recoverCharge: (caller: AuthenticatedCaller, request: PaymentRequest) => Promise<RecoveredCharge>
  /**
   * Charges a payment in fewer steps where nothing else is under way; undefined where it must be captured to wait for its
   * turn. Rejects when the ledger gives no answer.
   */
  readonly chargeAtOnce: (request: CaptureRequest) => Promise<CaptureOutcome | undefined>
  /** A payment was captured; `isSent` where its transaction is saved already. */
  readonly onCaptured: (isSent: boolean) => void
  /** The smallest payment taken: less would not be worth its gas. */
  readonly minimumAtomic: bigint
  /** The limits of owners: open payments, and use in a day. */
  readonly ownerLimits: OwnerLimits
  /** How long `/settle` waits for the proof before it says pending. */
  readonly settleWaitMs: number
}
