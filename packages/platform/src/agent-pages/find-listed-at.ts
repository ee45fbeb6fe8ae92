import { MAX_AGENT_NAME_CHARACTERS } from '@farebox/protocol/limits'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { ownersText } from '../listing/owners-text.ts'

/** The agent listed with a canonical endpoint, at most one; `undefined` when there is none. */
export async function findListedAt(
  database: Database,
  endpoint: string,
): Promise<{ readonly agent_id: number; readonly name: string } | undefined> {
  const [row] = await database.query<{ agent_id: string; name: string }>(
    'find-listed-at',
    `select agent_id, name from agents where endpoint = $1 and standing = 'listed'`,
    [endpoint],
  )
  return row && { agent_id: Number(row.agent_id), name: ownersText(row.name, MAX_AGENT_NAME_CHARACTERS).text }
}
