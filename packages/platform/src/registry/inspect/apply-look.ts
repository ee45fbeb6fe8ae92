import type { DeclarationChange } from '@farebox/platform-api/registry'
import type pg from 'pg'
import type { PlatformParts } from '../../platform-parts.ts'
import { changeListing } from '../../listing/change-listing.ts'
import { AGENT_COLUMNS, toAgentRow, type AgentColumns, type AgentRow } from '../../agents/agent-row.ts'
import { lookAtOwnersOf } from '../../agents/look-again.ts'
import type { Examination } from './examination.ts'
import { judgeLook, type Judgement } from './judge-look.ts'
import { nextLook } from './next-look.ts'
import { readAgent } from '../../agents/read-agent.ts'
import { isBlocked } from '../../agents/taken-down-endpoints.ts'
import { keepDeclared } from './keep-declared.ts'

type ApplyParts = Pick<PlatformParts, 'database' | 'clock' | 'settings' | 'log'>

/** What a look left. */
export interface Looked {
  readonly agent: AgentRow
  /** What changed since the declaration before; empty where nothing was read or it says the same. */
  readonly changes: readonly DeclarationChange[]
}

/** An agent with what only looks need of its row. */
interface Locked {
  readonly agent: AgentRow
  readonly lookSinceMs: number
  readonly failures: number
  readonly aboutMissingSinceMs: number | undefined
}

/**
 * Writes what a look at an agent came to, in one transaction with everybody it concerns. Undefined where the chain said
 * something new of the agent since it was read: then this look was at something else, and nothing is written.
 */
export async function applyLook(
  parts: ApplyParts,
  lookedAt: AgentRow,
  found: Examination,
): Promise<Looked | undefined> {
  const changes = await parts.database.inTransaction(async client => {
    const all = await lockEndpoint(client, lookedAt)
    const locked = all.find(({ agent }) => agent.agentId === lookedAt.agentId)
    if (locked === undefined || !isSame(locked.agent, lookedAt)) return undefined
    const rivals = all.flatMap(({ agent }) => (agent === locked.agent ? [] : [agent]))
    const nowMs = parts.clock.nowMs()
    const { aboutMissingSinceMs } = locked
    const isEndpointBlocked = await isBlocked(client, locked.agent.endpoint)
    const judged = { ...locked.agent, aboutMissingSinceMs, isEndpointBlocked }
    const judgement = judgeLook(judged, found, rivals, nowMs)
    for (const { agentId, reason } of judgement.displaced) {
      const rival = rivals.find(one => one.agentId === agentId)
      if (rival !== undefined)
        await changeListing(client, rival, { event: 'displaced', to: 'refused', reason, nowMs })
    }
    const changes = await writeJudgement(client, parts, { locked, judgement, nowMs })
    await wakeProvenRivals(client, judgement, locked.agent, nowMs)
    return changes
  })
  const agent = changes && (await readAgent(parts.database, lookedAt.agentId))
  if (changes === undefined || agent === undefined) return undefined
  if (agent.standing !== lookedAt.standing) {
    const { agentId, standing, standingReason: reason } = agent
    parts.log.info('agent stands elsewhere', { agent: agentId, was: lookedAt.standing, is: standing, reason })
  }
  return { agent, changes }
}

/**
 * Locks everybody at an agent's endpoint whose stake was not returned, itself included, in the order in which everybody
 * locks agents: of two looks at one endpoint the second sees what the first wrote.
 */
async function lockEndpoint(client: pg.PoolClient, lookedAt: AgentRow): Promise<readonly Locked[]> {
  const { rows } = await client.query<AgentColumns & LookColumns>(
    `select ${AGENT_COLUMNS}, look_since, look_failures, about_missing_since from agents
     where agent_id = $1 or (endpoint = $2 and standing <> 'deregistered') order by agent_id for update`,
    [lookedAt.agentId, lookedAt.endpoint ?? null],
  )
  return rows.map(row => ({
    agent: toAgentRow(row),
    lookSinceMs: (row.look_since ?? row.registered_at).getTime(),
    failures: row.look_failures,
    aboutMissingSinceMs: row.about_missing_since?.getTime(),
  }))
}

interface LookColumns {
  readonly look_since: Date | null
  readonly look_failures: number
  readonly about_missing_since: Date | null
}

/** Nothing that the look depended on has changed while it was under way. */
function isSame(now: AgentRow, then: AgentRow): boolean {
  return (
    now.endpointOnChain === then.endpointOnChain &&
    now.owner === then.owner &&
    now.registeredTransaction === then.registeredTransaction &&
    now.standing === then.standing
  )
}

interface Writing {
  readonly locked: Locked
  readonly judgement: Judgement
  readonly nowMs: number
}

async function writeJudgement(
  client: pg.PoolClient,
  { settings }: ApplyParts,
  { locked, judgement, nowMs }: Writing,
): Promise<readonly DeclarationChange[]> {
  const { agent, lookSinceMs } = locked
  const { standing, reason, problem, aboutMissingSinceMs } = judgement
  const { changes, declared } = await keepDeclared(client, agent, judgement, nowMs)
  const failures = problem === undefined ? 0 : locked.failures + 1
  const nextLookMs = nextLook(judgement, {
    nowMs,
    failures,
    lookSinceMs,
    random: Math.random(),
    refreshIntervalMs: settings.refreshIntervalMs,
  })
  const look = { problem, failures, nextLookMs, aboutMissingSinceMs, declared }
  await changeListing(client, agent, { event: 'looked at', to: standing, reason, look, nowMs })
  return changes
}

/** Whoever owns the wallet that somebody else's agent pays now may stand in its place. */
async function wakeProvenRivals(
  client: pg.PoolClient,
  { declared }: Judgement,
  agent: AgentRow,
  nowMs: number,
): Promise<void> {
  if (declared === undefined || !('wallet' in declared) || declared.wallet === agent.owner) return
  const { endpoint, agentId } = agent
  await lookAtOwnersOf(client, { endpoint, exceptAgentId: agentId, owner: declared.wallet, nowMs })
}
