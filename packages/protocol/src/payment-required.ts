/** One way to pay, in the 402 body (interface, "Payment requirement"; D2). No further keys. */
export interface PaymentOption {
  readonly scheme: 'exact'
  /** `eip155:<chain id>` */
  readonly network: string
  /** Integer atomic units of the asset, as a string: 0.01 USDC is `"10000"` (D1). */
  readonly maxAmountRequired: string
  /** Token contract. */
  readonly asset: string
  /** The agent's wallet. */
  readonly payTo: string
  readonly extra: {
    /** Agent name. */
    readonly name: string
    /** Capability name. */
    readonly description: string
  }
}

/**
 * The body of the 402 that asks for a payment. The terms for stock x402 clients are in a header (D3).
 *
 * @example
 * ```ts
 * import type { PaymentRequiredBody } from '@farebox/protocol/payment-required'
 *
 * const answer = await fetch('https://agent.example/execute', { method: 'POST' })
 * if (answer.status === 402) {
 *   const { accepts } = (await answer.json()) as PaymentRequiredBody
 *   console.log(accepts.map(({ network, maxAmountRequired }) => `${maxAmountRequired} on ${network}`))
 * }
 * ```
 */
export interface PaymentRequiredBody {
  readonly x402Version: 1
  readonly accepts: readonly PaymentOption[]
}
