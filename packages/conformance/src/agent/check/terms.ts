import type { Network } from '@farebox/payments/networks'
import type { PaymentRequirement } from '@farebox/payments/x402/requirement'

/** The reason why checks of the price cannot be run. */
export const NO_PRICE = 'POST /execute without payment is not answered 402'

/** The payment terms of a capability, and the URL that they belong to. */
export interface Terms {
  readonly network: Network
  readonly requirement: PaymentRequirement
  /** The URL in the 402 response, to which nonces are bound (D13). */
  readonly endpoint: string
  readonly capability: string
}
