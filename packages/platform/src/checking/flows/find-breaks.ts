import { checkFlow, type FlowCheck } from '@farebox/flows/check/check-flow'
import { NO_CATALOG, type Catalog, type CurrentCapability } from '@farebox/flows/internal/check/catalog'
import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { KnownCapability } from '../check-flow.ts'

/** One finding of a flow check. */
export type Finding = FlowCheck['findings'][number]

/**
 * The errors that a flow has with the capabilities in `after` but not with those in `before`. An offline agent breaks
 * nothing, because it may come back.
 */
export function findBreaks(flow: Flow, before: Catalog, after: Catalog): readonly Finding[] {
  const errorsWith = (catalog: Catalog): readonly Finding[] =>
    checkFlow(flow, { catalog }).findings.filter(({ severity }) => severity === 'error')
  const breaks = errorsWith(after)
  if (breaks.length === 0) return []
  const known = new Set(errorsWith(before).map(({ id }) => id))
  return breaks.filter(({ id }) => !known.has(id))
}

/** A catalog of these capabilities, with offline ones shown as online. */
export function catalogOf(capabilities: readonly KnownCapability[]): Catalog {
  const known = new Map(
    capabilities.map(({ agentId, capability, current }) => [
      `${agentId} ${capability}`,
      withoutOutage(current),
    ]),
  )
  return { find: (agentId, capability) => known.get(`${agentId} ${capability}`) }
}

function withoutOutage(current: CurrentCapability | null): CurrentCapability | null {
  return current?.state === 'offline' ? { ...current, state: 'online' } : current
}

/**
 * Finds the flows that cannot be run any more after a change of their capabilities.
 *
 * @param given.documents flows as JSON, validated when they were saved
 * @returns the indexes of the broken flows
 */
export function findBroken(given: {
  readonly documents: readonly string[]
  readonly capabilities: readonly KnownCapability[]
}): readonly number[] {
  const after = catalogOf(given.capabilities)
  return given.documents.flatMap((document, place) => {
    // A document that was valid under an earlier version of the rules may be invalid now.
    const read = readFlow(JSON.parse(document))
    return !read.ok || findBreaks(read.flow, NO_CATALOG, after).length > 0 ? [place] : []
  })
}
