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
 * Takes an agent down: it is no longer found, checked or sent jobs, and its page shows the reason. Its stake belongs to
 * the contract and is not touched. If the agent is already taken down, only the reason changes. Its endpoint is blocked
 * for every other agent number until the agent is restored, whatever the owner does with this number.
 *
 * Throws a {@link Refusal}: `not_found`, or `conflict` when the agent has deregistered.
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
 * Restores an agent that was taken down: it waits for an inspection like a newly registered agent, because its
 * declaration and the competition for its endpoint may have changed. An agent that has deregistered since stays
 * deregistered; only its blocked endpoints become free. Agents that were refused at these endpoints are inspected
 * again.
 *
 * Resolves to its standing. Throws a {@link Refusal}: `not_found`, or `conflict` when the agent is not taken down.
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
