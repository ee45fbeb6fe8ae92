import type pg from 'pg'
import { describeError } from '@farebox/server/log'
import type { AgentRow } from '../../agents/agent-row.ts'
import { lockAgent, lockWithCompetitors } from '../../agents/lock-agents.ts'
import { readTakeDown } from '../../agents/taken-down-endpoints.ts'
import { changeListing, enterListing, type OnChain } from '../../listing/change-listing.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'
import { type ChainState, foldEvents } from './fold-events.ts'
import { readEventsOf } from './store-events.ts'

/** The canonical form of what somebody wrote on the chain; undefined where we would not call it. */
type Judge = Outbound['judge']

/**
 * Brings agents' rows in line with what the chain has said of them, in the caller's transaction: new ones wait to be
 * inspected, those with another endpoint or owner are inspected again, those whose stake was returned are unlisted. What
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
  const ascending = [...agentIds].sort((one, other) => one - other)
  await lockWithCompetitors(client, ascending)
  for (const agentId of ascending) {
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
    if (state !== undefined) await enter(client, agentId, { state, judge, nowMs })
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

async function enter(
  client: pg.PoolClient,
  agentId: number,
  { state, judge, nowMs }: Following,
): Promise<void> {
  const to = state.isRegistered ? 'waiting' : 'deregistered'
  await enterListing(client, agentId, { event: 'registered', to, onChain: toOnChain(state, judge), nowMs })
}

async function unlist(client: pg.PoolClient, agent: AgentRow, isGone: boolean, nowMs: number): Promise<void> {
  if (agent.standing === 'deregistered') return
  const reason = isGone ? 'its registration is not on the chain any more' : undefined
  await changeListing(client, agent, { event: 'unstaked', to: 'deregistered', reason, nowMs })
}

async function follow(
  client: pg.PoolClient,
  agent: AgentRow,
  { state, judge, nowMs }: Following,
): Promise<void> {
  const onChain = toOnChain(state, judge)
  const { standing } = agent
  if (standing === 'deregistered') {
    // A chain that is rewritten may take a deregistration back, and the operator's word holds again.
    const reason = await readTakeDown(client, agent.agentId)
    const to = reason === undefined ? 'waiting' : 'taken-down'
    await changeListing(client, agent, { event: 'restaked', to, reason, onChain, nowMs })
  } else if (agent.endpointOnChain !== onChain.endpointOnChain) {
    // The proof was for another endpoint: until it is given again, the agent stands nowhere.
    const to = standing === 'taken-down' ? standing : 'waiting'
    await changeListing(client, agent, { event: 'moved', to, onChain, nowMs })
  } else if (agent.owner !== onChain.owner || agent.registeredTransaction !== onChain.registeredTransaction) {
    await changeListing(client, agent, { event: 'transferred', to: standing, onChain, nowMs })
  }
}

function toOnChain(state: ChainState, judge: Judge): OnChain {
  const verdict = judge(state.endpoint)
  return { ...state, endpointOnChain: state.endpoint, endpoint: verdict.ok ? verdict.url : undefined }
}

const REASON = 'what the registry contract has of it cannot be kept here: ask the operator'

/**
 * Sets an agent aside of which the chain said something that the database refuses: its row has no endpoint, says why,
 * and is not inspected by itself, so that the others are followed on. The next thing that the chain says of it is tried
 * again. Where even that row is refused, only the log has it.
 */
async function setAside(
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

/** What is written is no longer than the contract's own numbers. What was taken down stays so. */
async function writeSetAside(client: pg.PoolClient, agentId: number, nowMs: number): Promise<void> {
  const state = foldEvents(await readEventsOf(client, agentId))
  const agent = await lockAgent(client, agentId)
  const isDown = agent?.standing === 'taken-down'
  const known = state ?? (isDown ? undefined : agent)
  const onChain = known && { ...known, endpointOnChain: '', endpoint: undefined }
  const to = state?.isRegistered === false ? 'deregistered' : isDown ? 'taken-down' : 'refused'
  const reason = to === 'taken-down' ? undefined : REASON
  const change = { event: 'set aside', to, reason, nowMs } as const
  if (agent !== undefined) await changeListing(client, agent, { ...change, ...(onChain && { onChain }) })
  else if (onChain !== undefined) await enterListing(client, agentId, { ...change, onChain })
}
