import type { DeclarationChange } from '@farebox/platform-api/registry'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type pg from 'pg'
import type { AgentRow } from '../../agents/agent-row.ts'
import type { InspectionResult } from '../../listing/change-listing.ts'
import { diffDeclarations } from '../declarations/declaration-diff.ts'
import { recordDeclaration } from '../declarations/declaration-history.ts'
import type { Judgement } from './judge-inspection.ts'

/** What an inspection read of an agent's declaration. */
interface Kept {
  /** Since the declaration before. */
  readonly changes: readonly DeclarationChange[]
  /** What its row is to hold. */
  readonly declared: InspectionResult['declared']
}

/**
 * Keeps what an agent declares in its history, in the caller's transaction. A declaration that means the same is no new
 * version.
 */
export async function keepDeclared(
  client: pg.PoolClient,
  agent: AgentRow,
  { declared }: Judgement,
  nowMs: number,
): Promise<Kept> {
  if (declared === undefined || !('declaration' in declared)) return { changes: [], declared }
  const { declaration } = declared
  const last = agent.declaration ?? (await readLastDeclaration(client, agent))
  const changes = last && diffDeclarations(last, declaration)
  const isNew = changes === undefined || changes.length > 0
  const version = agent.declarationVersion + (isNew ? 1 : 0)
  if (isNew) await recordDeclaration(client, agent.agentId, { version, declaration, changes, nowMs })
  return { changes: changes ?? [], declared: { ...declared, version } }
}

/** What an agent declared before it went without for a while. */
async function readLastDeclaration(client: pg.PoolClient, agent: AgentRow): Promise<Declaration | undefined> {
  const { rows } = await client.query<{ declaration: Declaration }>(
    'select declaration from agent_declarations where agent_id = $1 and version = $2',
    [agent.agentId, agent.declarationVersion],
  )
  return rows[0]?.declaration
}
