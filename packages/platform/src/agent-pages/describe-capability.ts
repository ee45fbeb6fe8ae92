import type { AgentPage } from '@farebox/platform-api/agent'
import { hashCapability } from '@farebox/platform-api/capability-hash'
import type { Capability } from '@farebox/protocol/declaration/declaration'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import { ownersText } from '../listing/owners-text.ts'

export const MOST_DESCRIPTION_CHARACTERS = 1_024

/** A capability for display, with the hash by which clients detect that it has changed. */
export async function describeCapability(
  name: string,
  { description, pricing, input_schema, output_schema, permissions = [] }: Capability,
): Promise<AgentPage['capabilities'][number]> {
  const price = readUsdc(pricing.amount)
  const atomic = price.ok ? price.atomic : 0n
  const hashed = {
    input_schema: { ...input_schema },
    output_schema: { ...output_schema },
    price_atomic: atomic.toString(),
  }
  return {
    name,
    description: ownersText(description, MOST_DESCRIPTION_CHARACTERS).text,
    price: formatUsdc(atomic),
    ...hashed,
    permissions: permissions.map(permission => ({ ...permission })),
    hash: await hashCapability(hashed),
  }
}
