import type { DeclarationChange } from '@farebox/platform-api/registry'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type pg from 'pg'
import { worstSeverity } from './declaration-change.ts'

/**
 * The number of declarations kept for each agent, so that an owner who changes it every minute cannot fill the disk.
 */
const KEPT_DECLARATIONS = 50

/** The metadata of an earlier declaration, without its text. */
export interface PastDeclaration {
  readonly version: number
  readonly readAtMs: number
  readonly severity: 'first' | DeclarationChange['severity']
  readonly changes: readonly DeclarationChange[]
}

/**
 * Inserts a version of an agent's declaration in the caller's transaction, and deletes versions beyond {@link
 * KEPT_DECLARATIONS}.
 */
export async function recordDeclaration(
  client: pg.PoolClient,
  agentId: number,
  read: {
    readonly version: number
    readonly declaration: Declaration
    /** Undefined for the first declaration. */
    readonly changes: readonly DeclarationChange[] | undefined
    readonly nowMs: number
  },
): Promise<void> {
  const { version, declaration, changes, nowMs } = read
  await client.query(
    `insert into agent_declarations (agent_id, version, read_at, declaration, severity, changes)
     values ($1, $2, $3, $4, $5, $6)`,
    [
      agentId,
      version,
      new Date(nowMs),
      JSON.stringify(declaration),
      changes === undefined ? 'first' : worstSeverity(changes),
      JSON.stringify(changes ?? []),
    ],
  )
  await client.query('delete from agent_declarations where agent_id = $1 and version <= $2', [
    agentId,
    version - KEPT_DECLARATIONS,
  ])
}

/** Lists the declarations of an agent, the newest first: at most `limit` versions before `before`. */
export async function readHistory(
  database: Database,
  agentId: number,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<readonly PastDeclaration[]> {
  const rows = await database.query<{
    version: number
    read_at: Date
    severity: PastDeclaration['severity']
    changes: readonly DeclarationChange[]
  }>(
    'read-declaration-history',
    `select version, read_at, severity, changes from agent_declarations
     where agent_id = $1 and ($2::integer is null or version < $2) order by version desc limit $3`,
    [agentId, before ?? null, limit],
  )
  return rows.map(({ version, read_at: readAt, severity, changes }) => ({
    version,
    readAtMs: readAt.getTime(),
    severity,
    changes,
  }))
}

/**
 * Reads one version, with capabilities and fields in declared order. Undefined when the version was deleted or never
 * existed.
 */
export async function readDeclaration(
  database: Database,
  agentId: number,
  version: number,
): Promise<{ readonly declaration: Declaration; readonly readAtMs: number } | undefined> {
  const [row] = await database.query<{ declaration: Declaration; read_at: Date }>(
    'read-declaration',
    'select declaration, read_at from agent_declarations where agent_id = $1 and version = $2',
    [agentId, version],
  )
  return row && { declaration: row.declaration, readAtMs: row.read_at.getTime() }
}
