import type { FieldMap } from '../fields/field.ts'
import type { SERVICE_VERSION } from '../version.ts'

/**
 * An agent's declaration (interface, "Config"): the only source of `/about`, of the checks and of the prices.
 *
 * @example
 * ```ts
 * import type { Declaration } from '@farebox/protocol/declaration/declaration'
 *
 * export function prices({ capabilities }: Declaration): readonly string[] {
 *   return Object.entries(capabilities).map(([name, { pricing }]) => `${name}: ${pricing.amount} USDC`)
 * }
 * ```
 */
export interface Declaration {
  readonly service_version: typeof SERVICE_VERSION
  readonly name: string
  readonly description: string
  /** In the file {@link WALLET_PLACEHOLDER} or an address; in `/about` always an address. */
  readonly wallet: string
  readonly max_deadline_seconds: number
  readonly capabilities: { readonly [name: string]: Capability }
}

/** A capability of an agent, with its own fields and its own price. */
export interface Capability {
  readonly description: string
  readonly pricing: Pricing
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
  readonly permissions?: readonly Permission[]
}

/** A fixed price for each delivered job. */
export interface Pricing {
  readonly model: 'per_job'
  /** Decimal USDC, more than zero, at most six decimals: `"0.002"` (D1). */
  readonly amount: string
  readonly currency: 'USDC'
}

/** A permission that a capability needs from the user's wallet beyond its price; shown to the user at activation. */
export interface Permission {
  readonly type: 'EXECUTE_TRANSACTIONS'
  readonly reason: string
  /** Token symbol. */
  readonly token: string
  /** The most that one transaction may spend, as a decimal amount. */
  readonly max_per_transaction: string
}

/** Placeholder for the wallet in a config file; replaced by the address from the environment (interface, "Config"). */
export const WALLET_PLACEHOLDER = '${AGENT_WALLET_ADDRESS}'
