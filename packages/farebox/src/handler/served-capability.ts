import type { PaymentRequirement } from '@farebox/payments/x402/requirement'
import type { InputCheck, OutputCheck } from '@farebox/protocol/fields/compile'

/** A declared capability with compiled schemas. */
export interface ServedCapability {
  readonly name: string
  readonly checkInput: InputCheck
  readonly checkOutput: OutputCheck
  readonly requirement: PaymentRequirement
  /** Decimal USDC, as written to the log. */
  readonly price: string
  /** The body of its 402 as JSON. */
  readonly demand: string
  readonly description: string
}
