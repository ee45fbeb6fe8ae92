import type { Declaration } from '@farebox/protocol/declaration/declaration'

/**
 * Returns a declaration written in TypeScript unchanged and keeps its literal types, so that the handlers are typed
 * from it: their input after coercion and defaults, and their output.
 *
 * @example
 * ```ts
 * import { defineAgent } from 'farebox'
 *
 * export const declaration = defineAgent({
 *   service_version: '1.0',
 *   name: 'Echo',
 *   description: 'Says it back.',
 *   wallet: '${AGENT_WALLET_ADDRESS}',
 *   max_deadline_seconds: 60,
 *   capabilities: {
 *     echo: {
 *       description: 'Says it back.',
 *       pricing: { model: 'per_job', amount: '0.001', currency: 'USDC' },
 *       input_schema: { text: { type: 'string', required: true } },
 *       output_schema: { text: { type: 'string' } },
 *     },
 *   },
 * })
 * ```
 */
export function defineAgent<const D extends Declaration>(declaration: D): D {
  return declaration
}
