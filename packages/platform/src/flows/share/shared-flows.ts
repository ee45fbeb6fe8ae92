import { randomBytes } from 'node:crypto'
import type { Flow } from '@farebox/flows/document/flow'
import { withoutSecrets } from '@farebox/flows/document/without-secrets'
import type { SharedFlow } from '@farebox/platform-api/flows/saved-flows'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { FlowOfOwner } from '../saved/read-own-flow.ts'

const SHARE_ID_BYTES = 16

/**
 * Shares a flow. Resolves to the id for its link, which stays the same while the flow is shared; `undefined` when the owner
 * has no such flow.
 */
export async function shareFlow(
  database: Database,
  { flowId, owner }: FlowOfOwner,
): Promise<string | undefined> {
  const made = randomBytes(SHARE_ID_BYTES).toString('base64url')
  const [row] = await database.query<{ share_id: string }>(
    'share-flow',
    `update flows set share_id = coalesce(share_id, $3) where flow_id = $1 and owner = $2 returning share_id`,
    [flowId, owner, made],
  )
  return row?.share_id
}

/** Removes the link to a flow, if there is one; resolves to false when the owner has no such flow. */
export async function unshareFlow(database: Database, { flowId, owner }: FlowOfOwner): Promise<boolean> {
  const rows = await database.query(
    'unshare-flow',
    'update flows set share_id = null where flow_id = $1 and owner = $2 returning 1',
    [flowId, owner],
  )
  return rows.length > 0
}

/** The flow that a link opens; `undefined` when no flow is shared under this id. */
export async function readShared(database: Database, shareId: string): Promise<SharedFlow | undefined> {
  const [row] = await database.query<{ name: string; document: Flow; changed_at: Date }>(
    'read-shared-flow',
    `select flows.name, document, changed_at from flows join flow_versions using (flow_id, version)
     where share_id = $1`,
    [shareId],
  )
  if (row === undefined) return undefined
  return {
    name: row.name,
    flow: { ...withoutSecrets(row.document) },
    changed_at: row.changed_at.getTime() / 1_000,
  }
}
