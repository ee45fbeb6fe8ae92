import type { Flow } from '@farebox/flows/document/flow'
import { pin, type Catalog, type CurrentCapability } from '@farebox/flows/internal/check/catalog'
import type { OfferedCapability } from '@farebox/platform-api/flows/capabilities'
import type { JobStep } from '@farebox/flows/document/flow'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** The known capabilities: those of the flow, and the results of searches for it. */
export interface CapabilityCatalog extends Catalog {
  /** A number that increases whenever the catalog learns something new. */
  edition(): number
  subscribe(tell: () => void): () => void
  /** Adds the capabilities of an answer of the platform. */
  learn(offered: readonly OfferedCapability[]): void
  /** Requests the current state of all capabilities of the flow. Rejects when the platform does not answer. */
  refresh(flow: Flow): Promise<void>
  /** Requests the capabilities of the flow that have not been requested yet. */
  complete(flow: Flow): Promise<void>
}

/** The most capabilities per request. */
const PAGE = 50

/** Creates an empty catalog. */
export function createCapabilityCatalog(ask: Ask): CapabilityCatalog {
  const known = new Map<string, CurrentCapability | null>()
  const listeners = new Set<() => void>()
  let edition = 0
  const tell = (): void => {
    edition += 1
    for (const listener of listeners) listener()
  }
  const take = (offered: readonly OfferedCapability[], isAsked: boolean): void => {
    for (const one of offered) {
      const id = idOf(one.agent_id, one.capability)
      const current = currentOf(one)
      // A search only knows the state of the last checks.
      const isSilent = !isAsked && known.get(id)?.state === 'unreachable' && current?.state === 'online'
      known.set(id, isSilent ? { ...current, state: 'unreachable' } : current)
    }
    if (offered.length > 0) tell()
  }
  const read = async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += PAGE) {
      const wanted = ids.slice(at, at + PAGE)
      const query = new URLSearchParams({ ids: wanted.join(','), now: 'true', limit: String(PAGE) })
      take((await ask(`/v1/capabilities?${query}`, answers.capabilities)).capabilities, true)
    }
  }
  return {
    find: (agentId, capability) => known.get(idOf(agentId, capability)),
    edition: () => edition,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    learn: offered => take(offered, false),
    refresh: flow => read(idsOf(flow)),
    complete: flow => read(idsOf(flow).filter(id => !known.has(id))),
  }
}

/** A job step for a capability, as a flow stores it; undefined when the capability is gone. */
export function stepOf(offered: OfferedCapability): JobStep | undefined {
  const current = currentOf(offered)
  if (current === null) return undefined
  const { agent_id, capability } = offered
  return { kind: 'job', agent_id, capability, pinned: pin(current) }
}

function currentOf({ state, reason, pinned, permissions }: OfferedCapability): CurrentCapability | null {
  if (state === 'gone' || pinned === null) return null
  return {
    ...pinned,
    // The platform lists only schemas in the field language.
    input_schema: pinned.input_schema as FieldMap,
    output_schema: pinned.output_schema as FieldMap,
    state,
    ...(reason !== null && { reason }),
    permissions,
  }
}

function idsOf({ steps }: Flow): readonly string[] {
  const ids = Object.values(steps).flatMap(step =>
    step.kind === 'job' ? [idOf(step.agent_id, step.capability)] : [],
  )
  return [...new Set(ids)]
}

function idOf(agentId: number, capability: string): string {
  return `${agentId}.${encodeURIComponent(capability)}`
}
