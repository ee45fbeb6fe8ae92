import type { FlowVersions, SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../../http/refusal.ts'
import { FLOW_COLUMNS, toSavedFlow, type FlowColumns } from './flow-row.ts'

/** A flow of an owner. */
export interface FlowOfOwner {
  readonly flowId: string
  /** The address that it must be of. */
  readonly owner: string
}

/**
 * A flow with the document of its newest version, or of another.
 *
 * @throws {Refusal} `not_found`, the same whether there is none or it is another owner's
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
 * The versions of a flow that are kept, the newest first.
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

/** The refusal for a flow that is not the caller's. */
export function noFlow(version?: number): Refusal {
  return new Refusal(
    'not_found',
    version === undefined ? 'flowId: you have no such flow' : 'flowId: you have no such version of a flow',
  )
}
