import type { FieldMap } from '@farebox/protocol/fields/field'
import type { Flow, JobStep } from '../document/flow.ts'

/** The current state of an agent's capability. */
export interface CurrentCapability {
  readonly agent_name: string
  /**
   * `unreachable`: it was asked now and did not answer; `offline`: it did not answer its last checks; `closed`: it takes no
   * jobs, for the reason given.
   */
  readonly state: 'online' | 'unreachable' | 'offline' | 'closed'
  /** Why it takes no jobs; with `closed` alone. */
  readonly reason?: string
  readonly hash: string
  /** Decimal USDC. */
  readonly price: string
  readonly max_deadline_seconds: number
  readonly input_schema: FieldMap
  readonly output_schema: FieldMap
  /** Why it asks to move tokens of the payer, one for each permission. */
  readonly permissions: readonly string[]
}

/** The known capabilities that a flow orders from. */
export interface Catalog {
  /**
   * @returns null where the agent or the capability is gone; undefined where nobody has asked: the pinned one counts
   */
  find(agentId: number, capability: string): CurrentCapability | null | undefined
}

/** Knows nothing: a flow is compared with what is pinned in it. */
export const NO_CATALOG: Catalog = { find: () => undefined }

/** A flow with the schemas, prices and deadlines that hold now in place of the pinned ones. */
export function withCurrent(flow: Flow, catalog: Catalog): Flow {
  const steps = Object.entries(flow.steps).map(([id, step]) => {
    const current = step.kind === 'job' ? catalog.find(step.agent_id, step.capability) : undefined
    if (step.kind !== 'job' || current === null || current === undefined) return [id, step] as const
    return [id, { ...step, pinned: pin(current) }] as const
  })
  return { ...flow, steps: Object.fromEntries(steps) }
}

/** The part of a capability that a flow keeps. */
export function pin(current: CurrentCapability): JobStep['pinned'] {
  const { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema } = current
  return { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema }
}
