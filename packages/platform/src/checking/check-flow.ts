import { checkFlow, type FlowCheck } from '@farebox/flows/check/check-flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { CurrentCapability } from '@farebox/flows/internal/check/catalog'
import { formatProblem } from '@farebox/protocol/problems/problem'

/** A capability as it is now; null where it is gone. */
export interface KnownCapability {
  readonly agentId: number
  readonly capability: string
  readonly current: CurrentCapability | null
}

/** A flow that was looked at, or why it is none. */
export type CheckedFlow =
  | { readonly ok: true; readonly checked: FlowCheck }
  | { readonly ok: false; readonly reason: string }

/** Checks a flow from outside against what its capabilities are now. */
export function checkGivenFlow(given: {
  readonly flow: unknown
  readonly capabilities: readonly KnownCapability[]
  /** Decimal USDC. */
  readonly balance?: string
}): CheckedFlow {
  const read = readFlow(given.flow)
  if (!read.ok) return { ok: false, reason: read.problems.slice(0, 5).map(formatProblem).join('; ') }
  const known = new Map(
    given.capabilities.map(({ agentId, capability, current }) => [`${agentId} ${capability}`, current]),
  )
  const catalog = { find: (id: number, name: string) => known.get(`${id} ${name}`) }
  const { balance } = given
  return { ok: true, checked: checkFlow(read.flow, { catalog, ...(balance !== undefined && { balance }) }) }
}
