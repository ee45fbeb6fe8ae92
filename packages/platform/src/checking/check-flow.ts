import { checkFlow, type FlowCheck } from '@farebox/flows/check/check-flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { CurrentCapability } from '@farebox/flows/internal/check/catalog'
import { formatProblem } from '@farebox/protocol/problems/problem'

/** The current state of a capability; `current` is null when the agent no longer offers it. */
export interface KnownCapability {
  readonly agentId: number
  readonly capability: string
  readonly current: CurrentCapability | null
}

/** The result of checking a flow, or the reason why the value is not a flow. */
export type CheckedFlow =
  | { readonly ok: true; readonly checked: FlowCheck }
  | { readonly ok: false; readonly reason: string }

/** Checks an untrusted flow against the current state of its capabilities. */
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
