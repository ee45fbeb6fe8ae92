import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { InputCheck, OutputCheck } from '@farebox/protocol/fields/compile'

/** A declared capability, its schemas compiled. */
export interface ServedCapability {
  readonly name: string
  readonly checkInput: InputCheck
  readonly checkOutput: OutputCheck
  readonly requirement: PaymentRequirement
  /** Decimal USDC, as the log tells it. */
  readonly price: string
  /** The bytes of its 402 body. */
  readonly demand: string
  readonly description: string
}
