import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { ListingStatus } from '../../agents/agent-row.ts'
import { sentenceOf, type ProbeResult } from './probe-result.ts'

/** The fields of an agent on which the judgement depends. */
export interface InspectedAgent {
  readonly agentId: number
  readonly standing: ListingStatus
  readonly owner: string
  /** The name known so far. */
  readonly name: string
  /** Since when `/about` could not be read for any reason; undefined when the last inspection read it. */
  readonly aboutMissingSinceMs: number | undefined
  /** Whether the operator took down an agent with this endpoint. */
  readonly isEndpointBlocked: boolean
}

/** Another agent at the same endpoint whose stake was not returned. */
export interface CompetingRegistration {
  readonly agentId: number
  readonly standing: ListingStatus
  readonly owner: string
}

/** The result of an inspection. */
export interface Judgement {
  readonly standing: ListingStatus
  /** Why the agent is refused; set only then. */
  readonly reason?: string
  /** The problem that the inspection found, if any. */
  readonly problem?: string
  /**
   * The declaration just read, or only a name when there is no declaration any more; absent when the stored one
   * remains.
   */
  readonly declared?:
    | { readonly declaration: Declaration; readonly wallet: string }
    | { readonly name: string }
  /** Since when `/about` of a listed agent could not be read; absent when it was read. */
  readonly aboutMissingSinceMs?: number
  /** Other agents that lose the endpoint to this one, and why. */
  readonly displaced: readonly { readonly agentId: number; readonly reason: string }[]
}

/** How long a listed agent may have no readable `/about` before it becomes provisional (Phase 1). */
export const ABOUT_MISSING_MS = 7 * 86_400_000

/**
 * Determines the effect of an inspection on an agent and on others at its endpoint (D36, REG-01, REG-07). Pure.
 *
 * - An agent whose `/about` names its owner as the wallet is listed. Agents at that endpoint without this proof are
 *   displaced.
 * - A listed agent stays listed when an inspection fails or its wallet changes; the changed wallet stops payments, but
 *   not the listing.
 * - An agent without `/about` is provisional, unless an agent with proof or an earlier stake has the endpoint. A listed
 *   agent becomes provisional only after seven days without a readable `/about`, whether it is missing, invalid or
 *   unreachable.
 * - At an endpoint where the operator took an agent down, no other agent is listed until that agent is restored.
 *
 * @param agent - waiting, listed, provisional or refused
 */
export function judgeInspection(
  agent: InspectedAgent,
  found: ProbeResult,
  competitors: readonly CompetingRegistration[],
  nowMs: number,
): Judgement {
  if (agent.isEndpointBlocked && agent.standing !== 'listed') {
    return refused('an agent with this endpoint was taken down by the operator')
  }
  switch (found.kind) {
    case 'agent':
      return judgeDeclared(agent, found, competitors)
    case 'phase-1':
      return judgeMissing(agent, found.name, competitors, nowMs)
    case 'refused':
      return judgeFailed(agent, sentenceOf(found), nowMs)
  }
}

function judgeDeclared(
  agent: InspectedAgent,
  { declaration, wallet }: Extract<ProbeResult, { readonly kind: 'agent' }>,
  competitors: readonly CompetingRegistration[],
): Judgement {
  const declared = { declaration, wallet }
  if (wallet !== agent.owner) {
    if (agent.standing === 'listed') return { standing: 'listed', declared, displaced: [] }
    return refused('about: its wallet is not the address that staked')
  }
  const other = competitors.find(
    competitor => competitor.standing === 'listed' && competitor.owner === wallet,
  )
  if (other !== undefined && agent.standing !== 'listed') {
    return refused(`agent ${other.agentId} is listed with this endpoint`)
  }
  const reason = `agent ${agent.agentId} has proven to own this endpoint`
  const displaced = competitors
    .filter(competitor => competitor.standing === 'listed' || competitor.standing === 'provisional')
    .map(competitor => ({ agentId: competitor.agentId, reason }))
  return { standing: 'listed', declared, displaced }
}

function judgeMissing(
  agent: InspectedAgent,
  name: string,
  competitors: readonly CompetingRegistration[],
  nowMs: number,
): Judgement {
  const problem = 'about: is missing'
  if (agent.standing === 'listed') return judgeUnread(agent, problem, name, nowMs)
  const provisional = competitors.filter(competitor => competitor.standing === 'provisional')
  // Without proof, the agent that staked first gets the endpoint, regardless of the order of inspections.
  const other =
    competitors.find(competitor => competitor.standing === 'listed') ??
    provisional.find(competitor => agent.standing !== 'provisional' && competitor.agentId < agent.agentId)
  if (other !== undefined) return refused(`agent ${other.agentId} is listed with this endpoint`)
  const reason = `agent ${agent.agentId} is listed with this endpoint`
  const displaced = provisional.map(({ agentId }) => ({ agentId, reason }))
  return { standing: 'provisional', declared: { name }, displaced }
}

function judgeFailed(agent: InspectedAgent, problem: string, nowMs: number): Judgement {
  if (agent.standing === 'listed') return judgeUnread(agent, problem, agent.name, nowMs)
  if (agent.standing === 'provisional') return { standing: 'provisional', problem, displaced: [] }
  return refused(problem)
}

/**
 * The last declaration of a listed agent stays valid for a week; after that only its name is kept, and callers cannot
 * pay it.
 */
function judgeUnread(agent: InspectedAgent, problem: string, name: string, nowMs: number): Judgement {
  const sinceMs = agent.aboutMissingSinceMs ?? nowMs
  const isOver = nowMs - sinceMs >= ABOUT_MISSING_MS
  if (isOver) return { standing: 'provisional', problem, declared: { name }, displaced: [] }
  return { standing: 'listed', problem, aboutMissingSinceMs: sinceMs, displaced: [] }
}

function refused(reason: string): Judgement {
  return { standing: 'refused', reason, problem: reason, displaced: [] }
}
