import type pg from 'pg'
import type { DeclarationChange } from '@farebox/platform-api/registry'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { AGENT_COLUMNS, type AgentColumns, type AgentRow, toAgentRow } from '../../agents/agent-row.ts'
import { inspectOwnersSoon } from '../../agents/inspect-soon.ts'
import { readAgent } from '../../agents/read-agent.ts'
import { isBlocked } from '../../agents/taken-down-endpoints.ts'
import { changeListing, type InspectionResult } from '../../listing/change-listing.ts'
import type { PlatformParts } from '../../platform-parts.ts'
import { diffDeclarations } from '../declarations/declaration-diff.ts'
import { recordDeclaration } from '../declarations/declaration-history.ts'
import { judgeInspection, type Judgement } from './judge-inspection.ts'
import { nextInspection } from './next-inspection.ts'
import type { ProbeResult } from './probe-result.ts'

type ApplyParts = Pick<PlatformParts, 'database' | 'clock' | 'settings' | 'log'>

/** The result of an inspection that was written. */
export interface Inspected {
  readonly agent: AgentRow
  /** The changes since the previous declaration; empty when no declaration was read or it means the same. */
  readonly changes: readonly DeclarationChange[]
}

/** A locked agent with the columns that only inspections need. */
interface Locked {
  readonly agent: AgentRow
  readonly inspectedSinceMs: number
  readonly failures: number
  readonly aboutMissingSinceMs: number | undefined
}

/**
 * Writes the result of an inspection in one transaction with the rows of all agents it affects. Resolves to undefined,
 * without writing, when the agent's data changed since it was read, because the inspection then applies to an outdated
 * state.
 */
export async function applyInspection(
  parts: ApplyParts,
  inspected: AgentRow,
  found: ProbeResult,
): Promise<Inspected | undefined> {
  const changes = await parts.database.inTransaction(async client => {
    const all = await lockEndpoint(client, inspected)
    const locked = all.find(({ agent }) => agent.agentId === inspected.agentId)
    if (locked === undefined || !isSame(locked.agent, inspected)) return undefined
    const competitors = all.flatMap(({ agent }) => (agent === locked.agent ? [] : [agent]))
    const nowMs = parts.clock.nowMs()
    const { aboutMissingSinceMs } = locked
    const isEndpointBlocked = await isBlocked(client, locked.agent.endpoint)
    const judged = { ...locked.agent, aboutMissingSinceMs, isEndpointBlocked }
    const judgement = judgeInspection(judged, found, competitors, nowMs)
    for (const { agentId, reason } of judgement.displaced) {
      const competitor = competitors.find(one => one.agentId === agentId)
      if (competitor !== undefined)
        await changeListing(client, competitor, { event: 'displaced', to: 'refused', reason, nowMs })
    }
    const changes = await writeJudgement(client, parts, { locked, judgement, nowMs })
    await inspectProvenCompetitorsSoon(client, judgement, locked.agent, nowMs)
    return changes
  })
  const agent = changes && (await readAgent(parts.database, inspected.agentId))
  if (changes === undefined || agent === undefined) return undefined
  if (agent.standing !== inspected.standing) {
    const { agentId, standing, standingReason: reason } = agent
    parts.log.info('agent status changed', { agent: agentId, was: inspected.standing, is: standing, reason })
  }
  return { agent, changes }
}

/**
 * Locks all agents at an endpoint whose stake was not returned, including the inspected one, in the usual order of
 * agent locks. Of two inspections of one endpoint, the second therefore sees the changes of the first.
 */
async function lockEndpoint(client: pg.PoolClient, inspected: AgentRow): Promise<readonly Locked[]> {
  const { rows } = await client.query<AgentColumns & InspectionColumns>(
    `select ${AGENT_COLUMNS}, look_since, look_failures, about_missing_since from agents
     where agent_id = $1 or (endpoint = $2 and standing <> 'deregistered') order by agent_id for update`,
    [inspected.agentId, inspected.endpoint ?? null],
  )
  return rows.map(row => ({
    agent: toAgentRow(row),
    inspectedSinceMs: (row.look_since ?? row.registered_at).getTime(),
    failures: row.look_failures,
    aboutMissingSinceMs: row.about_missing_since?.getTime(),
  }))
}

interface InspectionColumns {
  readonly look_since: Date | null
  readonly look_failures: number
  readonly about_missing_since: Date | null
}

/** Whether the data that the inspection depended on is unchanged since it began. */
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
  const { agent, inspectedSinceMs } = locked
  const { standing, reason, problem, aboutMissingSinceMs } = judgement
  const { changes, declared } = await keepDeclared(client, agent, judgement, nowMs)
  const failures = problem === undefined ? 0 : locked.failures + 1
  const nextInspectionMs = nextInspection(judgement, {
    nowMs,
    failures,
    inspectedSinceMs,
    random: Math.random(),
    refreshIntervalMs: settings.refreshIntervalMs,
  })
  const inspection = { problem, failures, nextInspectionMs, aboutMissingSinceMs, declared }
  await changeListing(client, agent, { event: 'inspected', to: standing, reason, inspection, nowMs })
  return changes
}

/**
 * Schedules an inspection of competing agents whose owner has the wallet declared here: such an agent may now replace
 * this one.
 */
async function inspectProvenCompetitorsSoon(
  client: pg.PoolClient,
  { declared }: Judgement,
  agent: AgentRow,
  nowMs: number,
): Promise<void> {
  if (declared === undefined || !('wallet' in declared) || declared.wallet === agent.owner) return
  const { endpoint, agentId } = agent
  await inspectOwnersSoon(client, { endpoint, exceptAgentId: agentId, owner: declared.wallet, nowMs })
}

/** The declaration that an inspection read, as stored. */
interface Kept {
  /** The changes since the previous declaration. */
  readonly changes: readonly DeclarationChange[]
  /** The values for the agent's row. */
  readonly declared: InspectionResult['declared']
}

/**
 * Adds the declaration of an agent to its history, in the caller's transaction. A declaration with the same meaning
 * does not create a new version.
 */
async function keepDeclared(
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

/** Reads the last declaration of an agent whose row currently has none. */
async function readLastDeclaration(client: pg.PoolClient, agent: AgentRow): Promise<Declaration | undefined> {
  const { rows } = await client.query<{ declaration: Declaration }>(
    'select declaration from agent_declarations where agent_id = $1 and version = $2',
    [agent.agentId, agent.declarationVersion],
  )
  return rows[0]?.declaration
}
