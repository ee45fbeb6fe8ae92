import { checkFlow, type FlowCheck } from '@farebox/flows/check/check-flow'
import { NO_CATALOG, type Catalog, type CurrentCapability } from '@farebox/flows/internal/check/catalog'
import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import type { KnownCapability } from '../check-flow.ts'

/** One finding of a check. */
export type Finding = FlowCheck['findings'][number]

/**
 * What keeps a flow from being run once its capabilities are as in `after`, and does not while they are as in `before`.
 * That an agent is offline breaks nothing: it may be back.
 */
export function findBreaks(flow: Flow, before: Catalog, after: Catalog): readonly Finding[] {
  const errorsWith = (catalog: Catalog): readonly Finding[] =>
    checkFlow(flow, { catalog }).findings.filter(({ severity }) => severity === 'error')
  const breaks = errorsWith(after)
  if (breaks.length === 0) return []
  const known = new Set(errorsWith(before).map(({ id }) => id))
  return breaks.filter(({ id }) => !known.has(id))
}

/** Knows these capabilities, those that are offline as if they were online. */
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
 * Which of these flows a change of their capabilities keeps from being run, though they could be before.
 *
 * @param given.documents flows that were read when they were saved, as JSON
 * @returns their places
 */
export function findBroken(given: {
  readonly documents: readonly string[]
  readonly capabilities: readonly KnownCapability[]
}): readonly number[] {
  const after = catalogOf(given.capabilities)
  return given.documents.flatMap((document, place) => {
    // What was one to an earlier version of the rules may be none now.
    const read = readFlow(JSON.parse(document))
    return !read.ok || findBreaks(read.flow, NO_CATALOG, after).length > 0 ? [place] : []
  })
}
