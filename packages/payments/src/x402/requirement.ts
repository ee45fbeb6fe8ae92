import type { Capability } from '@farebox/protocol/declaration/declaration'
import {
  MAX_PAYMENT_REQUIRED_HEADER_BYTES,
  MAX_TIMEOUT_MARGIN_SECONDS,
  MIN_MAX_TIMEOUT_SECONDS,
} from '@farebox/protocol/limits'
import type { PaymentRequiredBody } from '@farebox/protocol/payment-required'
import { encodeHeader } from './payment-header.ts'
import type { Network } from '../networks.ts'
import type { SPEND_EXTENSION, SpenderEntry } from './spender-extension.ts'

/** The URL may come from a caller's Host header: a longer one is not a real address and is cut. */
const MAX_URL_CHARACTERS = 1_024

/** The terms of a payment, in the x402 v2 form that clients and facilitators read. */
export interface PaymentRequirement {
  readonly scheme: 'exact'
  /** `eip155:<chain id>` */
  readonly network: string
  /** Atomic units. */
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  /** How long an authorization should be valid from now on. */
  readonly maxTimeoutSeconds: number
  /** The token's EIP-712 domain; `name` is not the agent's name (D3). */
  readonly extra: { readonly name: string; readonly version: string }
}

/** The x402 v2 object of the `PAYMENT-REQUIRED` header. */
export interface PaymentRequired {
  readonly x402Version: 2
  readonly error: string
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string }
  readonly accepts: readonly PaymentRequirement[]
  readonly extensions?: PaymentExtensions
}

/** Extensions of a 402. */
export interface PaymentExtensions {
  /** One entry for each network. */
  readonly [SPEND_EXTENSION]: readonly SpenderEntry[]
}

/**
 * The requirement for a capability's price on a network. `amountAtomic` comes from the declaration (D1).
 *
 * @example
 * ```ts
 * import { findNetwork } from '@farebox/payments/networks'
 * import { createRequirement, paymentRequiredBody } from '@farebox/payments/x402/requirement'
 *
 * const network = findNetwork('eip155:84532')
 * if (network === undefined) throw new Error('no such network')
 * const requirement = createRequirement({
 *   network,
 *   payTo: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
 *   amountAtomic: 2_000n, // 0.002 USDC
 *   maxDeadlineSeconds: 20,
 * })
 * console.log(paymentRequiredBody(requirement, { agent: 'Text statistics', capability: 'count' }))
 * ```
 */
export function createRequirement(terms: {
  readonly network: Network
  readonly payTo: string
  readonly amountAtomic: bigint
  readonly maxDeadlineSeconds: number
}): PaymentRequirement {
  return {
    scheme: 'exact',
    network: terms.network.id,
    amount: terms.amountAtomic.toString(),
    asset: terms.network.asset.address,
    payTo: terms.payTo,
    maxTimeoutSeconds: maxTimeoutSeconds(terms.maxDeadlineSeconds),
    extra: terms.network.asset.domain,
  }
}

/** Constant for a capability, so that a client's echoed value always matches (D3). */
export function maxTimeoutSeconds(maxDeadlineSeconds: number): number {
  return Math.max(MIN_MAX_TIMEOUT_SECONDS, Math.ceil(maxDeadlineSeconds) + MAX_TIMEOUT_MARGIN_SECONDS)
}

/** The body of the 402: the interface's own form, which names agent and capability (D2). */
export function paymentRequiredBody(
  requirement: PaymentRequirement,
  named: { readonly agent: string; readonly capability: string },
): PaymentRequiredBody {
  return {
    x402Version: 1,
    accepts: [
      {
        scheme: requirement.scheme,
        network: requirement.network,
        maxAmountRequired: requirement.amount,
        asset: requirement.asset,
        payTo: requirement.payTo,
        extra: { name: named.agent, description: named.capability },
      },
    ],
  }
}

/** The `PAYMENT-REQUIRED` header, which stock x402 clients use to pay (D3). */
export function paymentRequiredHeader(
  requirement: PaymentRequirement,
  resource: {
    readonly url: string
    readonly capability: string
    readonly description: Capability['description']
    readonly extensions?: PaymentExtensions
  },
): string {
  const url = resource.url.slice(0, MAX_URL_CHARACTERS)
  const required = (description: string): PaymentRequired => ({
    x402Version: 2,
    error: 'PAYMENT-SIGNATURE header is required',
    resource: { url, description, mimeType: 'application/json' },
    accepts: [requirement],
    ...(resource.extensions && { extensions: resource.extensions }),
  })
  const header = encodeHeader(required(`${resource.capability}: ${resource.description}`))
  // A description of 1,024 four-byte characters would not fit; the capability's name always does.
  return header.length < MAX_PAYMENT_REQUIRED_HEADER_BYTES
    ? header
    : encodeHeader(required(resource.capability))
}
