import type { Flow } from '@farebox/flows/document/flow'
import { pin, type Catalog, type CurrentCapability } from '@farebox/flows/internal/check/catalog'
import type { OfferedCapability } from '@farebox/platform-api/flows/capabilities'
import type { JobStep } from '@farebox/flows/document/flow'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** The known capabilities: those of the flow, and those that were searched for it. */
export interface CapabilityCatalog extends Catalog {
  /** Raised whenever something new is known. */
  edition(): number
  subscribe(tell: () => void): () => void
  /** Takes in what an answer of the platform says. */
  learn(offered: readonly OfferedCapability[]): void
  /** Asks what all capabilities of the flow are now. Rejects where the platform does not answer. */
  refresh(flow: Flow): Promise<void>
  /** Asks for those of the flow that nobody has asked for so far. */
  complete(flow: Flow): Promise<void>
}

/** So many are asked for at once. */
const PAGE = 50

/** A catalog that knows nothing yet. */
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
      // A search knows the last checks alone.
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

/** A job of a capability, as a flow keeps it. Undefined: it is gone. */
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
    // Declared in the field language, as every schema that the platform has listed.
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
