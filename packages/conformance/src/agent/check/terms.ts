import type { Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'

/** Why nothing can be asked about a price. */
export const NO_PRICE = 'POST /execute without payment is not answered 402'

/** What a capability asks for, and where. */
export interface Terms {
  readonly network: Network
  readonly requirement: PaymentRequirement
  /** The URL that the 402 names, which bound nonces name too (D13). */
  readonly endpoint: string
  readonly capability: string
}
