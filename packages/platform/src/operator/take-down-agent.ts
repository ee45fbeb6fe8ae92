import type pg from 'pg'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { Refusal } from '../http/refusal.ts'
import { writeAudit } from '../write-audit.ts'
import type { AgentRow } from '../agents/agent-row.ts'
import { lockAgent, lockWithCompetitors } from '../agents/lock-agents.ts'
import { inspectCompetitorsSoon } from '../agents/inspect-soon.ts'
import { blockEndpoint, liftBlocks } from '../agents/taken-down-endpoints.ts'
import { changeListing } from '../listing/change-listing.ts'

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
    const agent = await lockKnown(client, agentId)
    const { standing, endpoint } = agent
    if (standing === 'deregistered')
      throw new Refusal('conflict', `agentId: agent ${agentId} has deregistered`)
    await changeListing(client, agent, { event: 'taken down', to: 'taken-down', reason, nowMs })
    if (endpoint !== undefined) await blockEndpoint(client, agentId, { endpoint, reason, nowMs })
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
 * Resolves to its state. Throws a {@link Refusal}: `not_found`, or `conflict` where it is not taken down.
 */
export async function restoreAgent(
  database: Database,
  agentId: number,
  nowMs: number,
): Promise<'waiting' | 'deregistered'> {
  return await database.inTransaction(async client => {
    await lockWithCompetitors(client, [agentId])
    const agent = await lockKnown(client, agentId)
    const { standing } = agent
    const lifted = await liftBlocks(client, agentId)
    const hasLeft = standing === 'deregistered' && lifted.length > 0
    if (standing !== 'taken-down' && !hasLeft)
      throw new Refusal('conflict', `agentId: agent ${agentId} is not taken down, but ${standing}`)
    if (!hasLeft) await changeListing(client, agent, { event: 'restored', to: 'waiting', nowMs })
    for (const endpoint of lifted)
      await inspectCompetitorsSoon(client, { endpoint, exceptAgentId: agentId, nowMs })
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

async function lockKnown(client: pg.PoolClient, agentId: number): Promise<AgentRow> {
  const agent = await lockAgent(client, agentId)
  if (agent === undefined) throw new Refusal('not_found', `agentId: there is no agent ${agentId}`)
  return agent
}
