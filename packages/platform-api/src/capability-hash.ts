import { hashJson } from './receipt.ts'

/** The parts of a capability that affect its callers. */
export interface HashedCapability {
  /** Fields as declared. */
  readonly input_schema: object
  readonly output_schema: object
  /** Atomic units, as decimal digits: `"10000"` is 0.01 USDC. */
  readonly price_atomic: string
}

/**
 * The `hash` of a capability on its agent's page: SHA-256, as hex, of the canonical JSON (RFC 8785) of its schemas and its
 * price. A different hash means that the input schema, the output schema or the price has changed. Descriptions of fields
 * are part of the hash; the order of fields is not.
 *
 * @example
 * ```ts
 * import type { AgentPage } from '@farebox/platform-api/agent'
 * import { hashCapability } from '@farebox/platform-api/capability-hash'
 *
 * export async function hasChanged(page: AgentPage, name: string, knownHash: string): Promise<boolean> {
 *   const capability = page.capabilities.find(one => one.name === name)
 *   return capability === undefined || (await hashCapability(capability)) !== knownHash
 * }
 * ```
 */
export async function hashCapability(capability: HashedCapability): Promise<string> {
  const { input_schema, output_schema, price_atomic } = capability
  return await hashJson({ input_schema, output_schema, price_atomic })
}
