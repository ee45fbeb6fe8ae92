import type { FlowVersions, SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../../http/refusal.ts'
import { FLOW_COLUMNS, toSavedFlow, type FlowColumns } from './flow-row.ts'

/** Identifies a flow and the owner it must have. */
export interface FlowOfOwner {
  readonly flowId: string
  /** The required owner's address. */
  readonly owner: string
}

/**
 * Reads a flow with the document of the given version, or of the newest one.
 *
 * @throws {Refusal} `not_found`, with the same text whether the flow does not exist or has another owner
 */
export async function readOwnFlow(
  database: Database,
  { flowId, owner }: FlowOfOwner,
  version?: number,
): Promise<SavedFlow> {
  const [row] = await database.query<FlowColumns>(
    'read-own-flow',
    `select ${FLOW_COLUMNS} from flows
     join flow_versions on flow_versions.flow_id = flows.flow_id
       and flow_versions.version = coalesce($3, flows.version)
     where flows.flow_id = $1 and owner = $2`,
    [flowId, owner, version ?? null],
  )
  if (row === undefined) throw noFlow(version)
  return toSavedFlow(row)
}

/**
 * The stored versions of a flow, the newest first.
 *
 * @throws {Refusal} `not_found`
 */
export async function readOwnVersions(
  database: Database,
  { flowId, owner }: FlowOfOwner,
): Promise<FlowVersions['versions']> {
  const rows = await database.query<{ version: number; saved_at: Date; name: string }>(
    'read-own-versions',
    `select flow_versions.version, flow_versions.saved_at, flow_versions.name
     from flows join flow_versions using (flow_id)
     where flow_id = $1 and owner = $2 order by flow_versions.version desc`,
    [flowId, owner],
  )
  if (rows.length === 0) throw noFlow()
  return rows.map(({ saved_at, ...row }) => ({ ...row, saved_at: saved_at.getTime() / 1_000 }))
}

/** The refusal for a flow that the caller does not have. */
export function noFlow(version?: number): Refusal {
  return new Refusal(
    'not_found',
    version === undefined ? 'flowId: you have no such flow' : 'flowId: you have no such version of a flow',
  )
}
