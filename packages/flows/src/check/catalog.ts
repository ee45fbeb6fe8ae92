import type { FieldMap } from '@farebox/protocol/fields/field'
import type { Flow, JobStep } from '../document/flow.ts'

/** The current state of an agent's capability. */
export interface CurrentCapability {
  readonly agent_name: string
  /**
   * `unreachable`: it was requested now and did not respond; `offline`: it did not respond to its last checks; `closed`: it
   * takes no jobs, for the reason given.
   */
  readonly state: 'online' | 'unreachable' | 'offline' | 'closed'
  /** The reason for accepting no jobs; only with `closed`. */
  readonly reason?: string
  readonly hash: string
  /** Decimal USDC. */
  readonly price: string
  readonly max_deadline_seconds: number
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
  /** Why it asks for permission to move tokens of the payer, one text for each permission. */
  readonly permissions: readonly string[]
}

/** The current capabilities that a flow uses. */
export interface Catalog {
  /**
   * @returns null if the agent or the capability is gone; undefined if it was not requested: the pinned one counts
   */
  find(agentId: number, capability: string): CurrentCapability | null | undefined
}

/** An empty catalog: a flow is compared with its pinned capabilities. */
export const NO_CATALOG: Catalog = { find: () => undefined }

/** The flow with current schemas, prices and deadlines in place of the pinned ones. */
export function withCurrent(flow: Flow, catalog: Catalog): Flow {
  const steps = Object.entries(flow.steps).map(([id, step]) => {
    const current = step.kind === 'job' ? catalog.find(step.agent_id, step.capability) : undefined
    if (step.kind !== 'job' || current === null || current === undefined) return [id, step] as const
    return [id, { ...step, pinned: pin(current) }] as const
  })
  return { ...flow, steps: Object.fromEntries(steps) }
}

/** The part of a capability that a flow stores. */
export function pin(current: CurrentCapability): JobStep['pinned'] {
  const { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema } = current
  return { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema }
}
