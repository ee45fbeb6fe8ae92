import { describeError } from '@farebox/server/log'
import type pg from 'pg'
import { unwatchAgent } from '../../agents/watch-agent.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { indexAgent } from '../../listing/index-agent.ts'
import { lockAgent, lookAtRivals } from '../../agents/agents-at-endpoint.ts'
import { foldEvents, type ChainState } from './fold-events.ts'
import { readEventsOf } from './store-events.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'

const REASON = 'what the registry contract has of it cannot be kept here: ask the operator'

/**
 * Sets an agent aside of which the chain said something that the database refuses: its row has no endpoint, says why,
 * and is not looked at by itself, so that the others are followed on. The next thing that the chain says of it is tried
 * anew. Where even that row is refused, the log alone tells of it.
 */
export async function setAside(
  client: pg.PoolClient,
  agentId: number,
  {
    refusal,
    log,
    nowMs,
  }: { readonly refusal: Error; readonly log: PlatformParts['log']; readonly nowMs: number },
): Promise<void> {
  log.error('agent set aside: the database refuses what the chain says of it', {
    agent: agentId,
    error: describeError(refusal),
  })
  const again = await unlessRefused(client, () => writeSetAside(client, agentId, nowMs))
  if (again === undefined) return
  log.error('agent left out: the database refuses its row', { agent: agentId, error: describeError(again) })
}

async function writeSetAside(client: pg.PoolClient, agentId: number, nowMs: number): Promise<void> {
  const state = foldEvents(await readEventsOf(client, agentId))
  const agent = await lockAgent(client, agentId)
  if (state !== undefined) await writeRow(client, agentId, state, nowMs)
  if (agent === undefined) return
  if (state === undefined) await hideRow(client, agentId, nowMs)
  await unwatchAgent(client, agentId)
  await indexAgent(client, agentId)
  await lookAtRivals(client, agent.endpoint, agentId, nowMs)
}

/** Nothing here is longer than the contract's own numbers. What was taken down stays so. */
async function writeRow(
  client: pg.PoolClient,
  agentId: number,
  state: ChainState,
  nowMs: number,
): Promise<void> {
  await client.query(
    `insert into agents (agent_id, endpoint_on_chain, owner, stake_wei, registered_block, registered_transaction,
       registered_at, standing, standing_reason, standing_since)
     values ($1, '', $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (agent_id) do update set endpoint_on_chain = '', endpoint = null, owner = excluded.owner,
       standing = case when agents.standing = 'taken-down' and excluded.standing = 'refused' then agents.standing
         else excluded.standing end,
       standing_reason = case when agents.standing = 'taken-down' and excluded.standing = 'refused'
         then agents.standing_reason else excluded.standing_reason end,
       standing_since = excluded.standing_since, proven_wallet = null, next_refresh_at = null`,
    [
      agentId,
      state.owner,
      state.stakeWei.toString(),
      state.registeredBlock,
      state.registeredTransaction,
      new Date(state.registeredAtMs),
      state.isRegistered ? 'refused' : 'deregistered',
      REASON,
      new Date(nowMs),
    ],
  )
}

async function hideRow(client: pg.PoolClient, agentId: number, nowMs: number): Promise<void> {
  await client.query(
    `update agents set endpoint_on_chain = '', endpoint = null, standing = 'refused', standing_reason = $2,
       standing_since = $3, proven_wallet = null, next_refresh_at = null
     where agent_id = $1 and standing <> 'taken-down'`,
    [agentId, REASON, new Date(nowMs)],
  )
}
