import type pg from 'pg'
import { describeError } from '@farebox/server/log'
import { calledFor, type AgentRow } from '../../agents/agent-row.ts'
import { lockAgent, lockWithCompetitors } from '../../agents/lock-agents.ts'
import { readTakeDown } from '../../agents/taken-down-endpoints.ts'
import { changeListing, enterListing, type OnChain } from '../../listing/change-listing.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { unlessRefused } from '../../storage/unless-refused.ts'
import { type ChainState, foldEvents } from './fold-events.ts'
import { readEventsOf } from './store-events.ts'

/** Converts an endpoint from the chain to its canonical form, or to the reason why the platform would not call it. */
type Judge = Outbound['judge']

/**
 * Updates the rows of agents to match their chain events, in the caller's transaction: new agents wait for an
 * inspection, agents with a new endpoint or owner are inspected again, and agents whose stake was returned are
 * unlisted. Rows that already match are not changed, so the function may be called repeatedly for the same agents.
 *
 * Anyone can write anything to the chain, so an agent whose row the database refuses is set aside and the others are
 * still updated. Rejects when the database is unavailable, so that no agent is skipped for that reason.
 *
 * @param agentIds - locked in ascending order, as in every transaction
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
  /** Agents with an event that could not be stored, and the error. */
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
    // A chain reorganization may undo a deregistration; an earlier take-down by the operator then applies again.
    const reason = await readTakeDown(client, agent.agentId)
    const to = reason === undefined ? 'waiting' : 'taken-down'
    await changeListing(client, agent, { event: 'restaked', to, reason, onChain, nowMs })
  } else if (agent.endpointOnChain !== onChain.endpointOnChain || agent.endpoint !== onChain.endpoint) {
    // The proof of the wallet was for the former endpoint, so the agent waits until it is proven for the new one. Where
    // only the platform's own judgement changed, as after a transfer out of a private network, it waits as well.
    const to = standing === 'taken-down' ? standing : 'waiting'
    await changeListing(client, agent, { event: 'moved', to, onChain, nowMs })
  } else if (
    agent.owner !== onChain.owner ||
    agent.endpointBy !== onChain.endpointBy ||
    agent.registeredTransaction !== onChain.registeredTransaction
  ) {
    await changeListing(client, agent, { event: 'transferred', to: standing, onChain, nowMs })
  }
}

function toOnChain(state: ChainState, judge: Judge): OnChain {
  const verdict = judge(state.endpoint, calledFor(state))
  return { ...state, endpointOnChain: state.endpoint, endpoint: verdict.ok ? verdict.url : undefined }
}

const REASON = 'what the registry contract has of it cannot be kept here: ask the operator'

/**
 * Sets aside an agent whose chain data the database refuses, so that the registry can continue with the others: its row
 * has no endpoint, states the reason, and is not inspected. The next event of the agent is applied normally. When the
 * database refuses even that row, only the log reports it.
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
  log.error('agent set aside: the database refuses its data from the chain', {
    agent: agentId,
    error: describeError(refusal),
  })
  const again = await unlessRefused(client, () => writeSetAside(client, agentId, nowMs))
  if (again === undefined) return
  log.error('agent left out: the database refuses its row', { agent: agentId, error: describeError(again) })
}

/**
 * Writes no text from the chain: the endpoint stays empty, so that every value has a limited length. A taken-down agent
 * stays taken down.
 */
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
