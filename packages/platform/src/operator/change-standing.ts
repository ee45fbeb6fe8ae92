import type pg from 'pg'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import { unwatchAgent } from '../agents/watch-agent.ts'
import { writeAudit } from '../write-audit.ts'
import type { AgentRow } from '../agents/agent-row.ts'
import { lockAgent, lookAtRivals } from '../agents/agents-at-endpoint.ts'
import { blockEndpoint, liftBlocks } from '../agents/taken-down-endpoints.ts'
import { indexAgent } from '../listing/index-agent.ts'

/**
 * Takes an agent down: it is not found, not checked, and no jobs are sent to it; its page says why. Its stake is the
 * contract's and stays where it is. Taken down already: the reason is changed. The endpoint it stands at is blocked for
 * every other number until it is restored, whatever its owner does with its own.
 *
 * Throws a {@link Refusal}: `not_found`, or `conflict` where it has deregistered.
 */
export async function takeDownAgent(
  database: Database,
  agentId: number,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Promise<void> {
  await database.inTransaction(async client => {
    const { standing, endpoint } = await lockKnown(client, agentId)
    if (standing === 'deregistered')
      throw new Refusal('conflict', `agentId: agent ${agentId} has deregistered`)
    await client.query(
      `update agents set standing = 'taken-down', standing_reason = $2,
         standing_since = case when standing = 'taken-down' then standing_since else $3 end, next_refresh_at = null
       where agent_id = $1`,
      [agentId, reason, new Date(nowMs)],
    )
    if (endpoint !== undefined) await blockEndpoint(client, agentId, { endpoint, reason, nowMs })
    await unwatchAgent(client, agentId)
    await indexAgent(client, agentId)
    await writeAudit(client, {
      atMs: nowMs,
      actor: 'operator',
      action: 'agent-taken-down',
      subject: `agent ${agentId}`,
      detail: {
        reason,
        stood: standing,
      },
    })
  })
}

/**
 * Lets an agent that was taken down be listed again: it waits to be looked at as one that has just registered, because
 * what it serves, and who has its endpoint, may have changed. One that has deregistered since stays so: for it, only
 * what was blocked is open again. Whoever was refused there meanwhile is looked at anew.
 *
 * Resolves to how it stands. Throws a {@link Refusal}: `not_found`, or `conflict` where it is not taken down.
 */
export async function restoreAgent(
  database: Database,
  agentId: number,
  nowMs: number,
): Promise<'waiting' | 'deregistered'> {
  return await database.inTransaction(async client => {
    const { standing } = await lockKnown(client, agentId)
    const lifted = await liftBlocks(client, agentId)
    const hasLeft = standing === 'deregistered' && lifted.length > 0
    if (standing !== 'taken-down' && !hasLeft)
      throw new Refusal('conflict', `agentId: agent ${agentId} is not taken down, but ${standing}`)
    if (!hasLeft) await waitForLook(client, agentId, nowMs)
    for (const endpoint of lifted) await lookAtRivals(client, endpoint, agentId, nowMs)
    await writeAudit(client, {
      atMs: nowMs,
      actor: 'operator',
      action: 'agent-restored',
      subject: `agent ${agentId}`,
      ...(hasLeft && { detail: { stood: standing } }),
    })
    return hasLeft ? 'deregistered' : 'waiting'
  })
}

async function waitForLook(client: pg.PoolClient, agentId: number, nowMs: number): Promise<void> {
  await client.query(
    `update agents set standing = 'waiting', standing_reason = null, standing_since = $2,
       proven_wallet = null, next_refresh_at = $2, look_since = $2, look_failures = 0
     where agent_id = $1`,
    [agentId, new Date(nowMs)],
  )
  await indexAgent(client, agentId)
}

async function lockKnown(client: pg.PoolClient, agentId: number): Promise<AgentRow> {
  const agent = await lockAgent(client, agentId)
  if (agent === undefined) throw new Refusal('not_found', `agentId: there is no agent ${agentId}`)
  return agent
}
