import type { Flow } from '@farebox/flows/document/flow'
import type { Catalog } from '@farebox/flows/internal/check/catalog'

/** A paid step whose capability moves the payer's tokens. */
export interface SpendingStep {
  readonly key: string
  readonly name: string
  readonly agentId: number
  readonly capability: string
}

/**
 * The paid steps whose capabilities move the payer's tokens, by their agents' current declarations; each capability once.
 */
export function listSpending({ steps }: Flow, catalog: Catalog): readonly SpendingStep[] {
  const found = new Map<string, SpendingStep>()
  for (const [key, step] of Object.entries(steps)) {
    if (step.kind !== 'job') continue
    const { agent_id: agentId, capability, label, pinned } = step
    const id = `${agentId} ${capability}`
    const isSpending = (catalog.find(agentId, capability)?.permissions.length ?? 0) > 0
    if (isSpending && !found.has(id))
      found.set(id, { key, name: label ?? pinned.agent_name, agentId, capability })
  }
  return [...found.values()]
}
