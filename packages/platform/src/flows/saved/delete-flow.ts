import type { Database } from '@farebox/server/internal/postgres/connect'
import type { OwnFlow } from './read-own-flow.ts'

/** Deletes a flow with everything that is kept of it; false where there is none of this owner. */
export async function deleteFlow(database: Database, { flowId, owner }: OwnFlow): Promise<boolean> {
  const rows = await database.query(
    'delete-own-flow',
    'delete from flows where flow_id = $1 and owner = $2 returning 1',
    [flowId, owner],
  )
  return rows.length > 0
}
