import type pg from 'pg'
import { unwatchAgent, watchAgent } from '../../agents/watch-agent.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { indexAgent } from '../../listing/index-agent.ts'
import type { AgentRow } from '../../agents/agent-row.ts'
import { lockAgent, lookAtRivals } from '../../agents/agents-at-endpoint.ts'
import { foldEvents, type ChainState } from './fold-events.ts'
import { setAside } from './set-aside.ts'
import { readEventsOf } from './store-events.ts'
import { readTakeDown } from '../../agents/taken-down-endpoints.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'

/** The canonical form of what somebody wrote on the chain; undefined where we would not call it. */
type Judge = Outbound['judge']

/**
 * Brings agents' rows in line with what the chain has said of them, in the caller's transaction: new ones wait to be
 * looked at, those with another endpoint or owner are looked at anew, those whose stake was returned are unlisted. What
 * is in line already is not touched, so it can be called for the same agents again.
 *
 * Anybody may write anything on the chain: an agent whose row the database refuses is set aside, and the others are
 * brought in line. Rejects where the database is away: nobody is passed over for that.
 *
 * @param agentIds locked in ascending order, as everybody does
 */
export async function applyChainState(
  client: pg.PoolClient,
  agentIds: Iterable<number>,
  { judge, log, nowMs, unkept = new Map() }: Applying,
): Promise<void> {
  for (const agentId of [...agentIds].sort((one, other) => one - other)) {
    const refusal =
      unkept.get(agentId) ??
      (await unlessRefused(client, () => bringInLine(client, agentId, { judge, nowMs })))
    if (refusal !== undefined) await setAside(client, agentId, { refusal, log, nowMs })
  }
}

interface Applying {
  readonly judge: Judge
  readonly log: PlatformParts['log']
  readonly nowMs: number
  /** Agents of whom the chain said something that was not kept, and why. */
  readonly unkept?: ReadonlyMap<number, Error>
}

async function bringInLine(
  client: pg.PoolClient,
  agentId: number,
  { judge, nowMs }: Pick<Applying, 'judge' | 'nowMs'>,
): Promise<void> {
  const state = foldEvents(await readEventsOf(client, agentId))
  const agent = await lockAgent(client, agentId)
  if (agent === undefined) {
    if (state !== undefined) await insertRow(client, agentId, { state, judge, nowMs })
  } else if (state?.isRegistered !== true) {
    await unlist(client, agent, state === undefined, nowMs)
  } else {
    await follow(client, agent, { state, judge, nowMs })
  }
}

interface Following {
  readonly state: ChainState
  readonly judge: Judge
  readonly nowMs: number
}

async function insertRow(
  client: pg.PoolClient,
  agentId: number,
  { state, judge, nowMs }: Following,
): Promise<void> {
  const standing = state.isRegistered ? 'waiting' : 'deregistered'
  await client.query(
    `insert into agents (agent_id, endpoint_on_chain, endpoint, owner, stake_wei, registered_block,
       registered_transaction, registered_at, standing, standing_since, next_refresh_at, look_since)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10)`,
    [
      agentId,
      state.endpoint,
      canonical(judge, state.endpoint),
      state.owner,
      state.stakeWei.toString(),
      state.registeredBlock,
      state.registeredTransaction,
      new Date(state.registeredAtMs),
      standing,
      new Date(nowMs),
      state.isRegistered ? new Date(nowMs) : null,
    ],
  )
}

async function unlist(client: pg.PoolClient, agent: AgentRow, isGone: boolean, nowMs: number): Promise<void> {
  if (agent.standing === 'deregistered') return
  await client.query(
    `update agents set standing = 'deregistered', standing_reason = $2, standing_since = $3, proven_wallet = null,
       next_refresh_at = null where agent_id = $1`,
    [agent.agentId, isGone ? 'its registration is not on the chain any more' : null, new Date(nowMs)],
  )
  await unwatchAgent(client, agent.agentId)
  await indexAgent(client, agent.agentId)
  await lookAtRivals(client, agent.endpoint, agent.agentId, nowMs)
}

async function follow(client: pg.PoolClient, agent: AgentRow, following: Following): Promise<void> {
  const { state, judge, nowMs } = following
  const endpoint = canonical(judge, state.endpoint)
  const isBack = agent.standing === 'deregistered'
  const hasMoved = agent.endpointOnChain !== state.endpoint || isBack
  if (!hasMoved && agent.owner === state.owner && agent.registeredTransaction === state.registeredTransaction)
    return
  // A chain that is rewritten may take a deregistration back, and the operator's word holds again.
  const takeDown = isBack ? await readTakeDown(client, agent.agentId) : undefined
  const isDown = agent.standing === 'taken-down' || takeDown !== undefined
  // The proof was for another endpoint: until it is given again, the agent stands nowhere.
  const standing = isDown ? 'taken-down' : hasMoved ? 'waiting' : agent.standing
  await client.query(
    `update agents set endpoint_on_chain = $2, endpoint = $3, owner = $4, stake_wei = $5, registered_block = $6,
       registered_transaction = $7, registered_at = $8, standing = $9,
       standing_reason = case when $9 = standing then standing_reason else $11 end,
       standing_since = case when $9 = standing then standing_since else $10 end,
       proven_wallet = case when proven_wallet = $4 and $9 <> 'waiting' then proven_wallet end,
       next_refresh_at = case when $9 = 'taken-down' then null else $10::timestamptz end, look_since = $10,
       look_failures = 0, about_missing_since = null
     where agent_id = $1`,
    [
      agent.agentId,
      state.endpoint,
      endpoint,
      state.owner,
      state.stakeWei.toString(),
      state.registeredBlock,
      state.registeredTransaction,
      new Date(state.registeredAtMs),
      standing,
      new Date(nowMs),
      takeDown ?? null,
    ],
  )
  if (standing === 'listed' || standing === 'provisional') await watchAgent(client, agent.agentId, nowMs)
  else await unwatchAgent(client, agent.agentId)
  await indexAgent(client, agent.agentId)
  if (hasMoved) await lookAtRivals(client, agent.endpoint, agent.agentId, nowMs)
}

function canonical(judge: Judge, endpoint: string): string | null {
  const verdict = judge(endpoint)
  return verdict.ok ? verdict.url : null
}
