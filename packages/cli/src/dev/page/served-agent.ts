import type { DevAgent } from '@farebox/web/internal/dev-page/wire'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Serving } from '../messages/messages.ts'

export interface PageAgent {
  readonly served: DevAgent
  readonly declaration: Declaration
}

/**
 * Reads the agent that an agent process reports as served. Handlers run in that process and can send anything; returns
 * `undefined` when it is not a declaration.
 */
export function readServedAgent(serving: Serving, isPaid: boolean): PageAgent | undefined {
  const checked = checkDeclaration(serving.declaration)
  if (!checked.ok) return undefined
  const { declaration } = checked
  const { sampled, url } = serving.description
  const served: DevAgent = {
    name: declaration.name,
    description: declaration.description,
    url,
    wallet: declaration.wallet,
    is_paid: isPaid,
    max_deadline_seconds: declaration.max_deadline_seconds,
    capabilities: Object.entries(declaration.capabilities).map(([name, capability]) => ({
      name,
      description: capability.description,
      price: capability.pricing.amount,
      input_schema: capability.input_schema,
      output_schema: capability.output_schema,
      is_sample: sampled.includes(name),
    })),
  }
  return { served, declaration }
}
