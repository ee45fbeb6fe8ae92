import type { DeclarationChange } from '@farebox/platform-api/registry'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type pg from 'pg'
import type { AgentRow } from '../../agents/agent-row.ts'
import { diffDeclarations } from '../declarations/declaration-diff.ts'
import { recordDeclaration } from '../declarations/declaration-history.ts'
import type { Judgement } from './judge-look.ts'

/**
 * Writes what an agent declares, and whose wallet is proven by it, in the caller's transaction. Resolves to what changed;
 * a declaration that means the same is no new version.
 */
export async function writeDeclared(
  client: pg.PoolClient,
  agent: AgentRow,
  { declared }: Judgement,
  nowMs: number,
): Promise<readonly DeclarationChange[]> {
  if (declared === undefined) return []
  if (!('declaration' in declared)) {
    await client.query(
      `update agents set declaration = null, name = $2, description = '', wallet = null, proven_wallet = null
       where agent_id = $1`,
      [agent.agentId, declared.name],
    )
    return []
  }
  const { declaration, wallet } = declared
  const last = agent.declaration ?? (await readLastDeclaration(client, agent))
  const changes = last && diffDeclarations(last, declaration)
  const isNew = changes === undefined || changes.length > 0
  const version = agent.declarationVersion + (isNew ? 1 : 0)
  await client.query(
    `update agents set declaration = $2, declaration_version = $3, name = $4, description = $5, wallet = $6,
       proven_wallet = case when owner = $6 then owner when proven_wallet = owner then owner end, refreshed_at = $7
     where agent_id = $1`,
    [
      agent.agentId,
      JSON.stringify(declaration),
      version,
      declaration.name,
      declaration.description,
      wallet,
      new Date(nowMs),
    ],
  )
  if (isNew) await recordDeclaration(client, agent.agentId, { version, declaration, changes, nowMs })
  return changes ?? []
}

/** What an agent declared before it went without for a while. */
async function readLastDeclaration(client: pg.PoolClient, agent: AgentRow): Promise<Declaration | undefined> {
  const { rows } = await client.query<{ declaration: Declaration }>(
    'select declaration from agent_declarations where agent_id = $1 and version = $2',
    [agent.agentId, agent.declarationVersion],
  )
  return rows[0]?.declaration
}
