import type { Authorization } from '@farebox/payments/authorization/eip-3009'
import type { FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import type { Network } from '@farebox/payments/networks'

/** A signed payment, its payer, and how an agent sends it. */
export interface StagedPayment {
  readonly network: Network
  readonly key: string
  readonly payerKey: string
  readonly authorization: Authorization
  readonly request: FacilitatorRequest
}
