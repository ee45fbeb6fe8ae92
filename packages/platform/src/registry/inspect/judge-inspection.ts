import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { ListingStatus } from '../../agents/agent-row.ts'
import { sentenceOf, type ProbeResult } from './probe-result.ts'

/** An agent as far as an inspection of it is judged by it. */
export interface InspectedAgent {
  readonly agentId: number
  readonly standing: ListingStatus
  readonly owner: string
  /** As it is known so far. */
  readonly name: string
  /** Since when `/about` cannot be read, whatever is wrong with it; undefined: it can. */
  readonly aboutMissingSinceMs: number | undefined
  /** Whether the operator took an agent down at its endpoint. */
  readonly isEndpointBlocked: boolean
}

/** Another agent at the same endpoint, its stake not returned. */
export interface CompetingRegistration {
  readonly agentId: number
  readonly standing: ListingStatus
  readonly owner: string
}

/** What an inspection comes to. */
export interface Judgement {
  readonly standing: ListingStatus
  /** Why, where it is refused. */
  readonly reason?: string
  /** What the inspection stumbled over, where it did. */
  readonly problem?: string
  /** What it declares: as read just now, or nothing any more; absent: as before. */
  readonly declared?:
    | { readonly declaration: Declaration; readonly wallet: string }
    | { readonly name: string }
  /** Since when `/about` of a listed agent cannot be read; absent: it can. */
  readonly aboutMissingSinceMs?: number
  /** Who gives way to it, and why. */
  readonly displaced: readonly { readonly agentId: number; readonly reason: string }[]
}

/** How long a listed agent may serve no `/about` that can be read before it counts as Phase 1. */
export const ABOUT_MISSING_MS = 7 * 86_400_000

/**
 * What an inspection of an agent means for it and for others at its endpoint (D36, REG-01, REG-07). Pure.
 *
 * - An agent whose `/about` names its owner as the wallet is listed. Whoever stood there without that proof gives way.
 * - One that is listed stays so while an inspection fails or its wallet is another; the wallet stops payments, not the listing.
 * - Without `/about` it is provisional, unless somebody with proof or an earlier stake stands there. One that was listed
 *   becomes so only after seven days without an `/about` that can be read: missing, broken or out of reach.
 * - Where the operator took an agent down nobody new is listed, until that agent is restored.
 *
 * @param agent waiting, listed, provisional or refused
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
  // Nobody has proof: who staked first stands there, whoever was inspected first.
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

/** A listed agent is believed for a week what it declared last; then it is known by its name alone, and not paid. */
function judgeUnread(agent: InspectedAgent, problem: string, name: string, nowMs: number): Judgement {
  const sinceMs = agent.aboutMissingSinceMs ?? nowMs
  const isOver = nowMs - sinceMs >= ABOUT_MISSING_MS
  if (isOver) return { standing: 'provisional', problem, declared: { name }, displaced: [] }
  return { standing: 'listed', problem, aboutMissingSinceMs: sinceMs, displaced: [] }
}

function refused(reason: string): Judgement {
  return { standing: 'refused', reason, problem: reason, displaced: [] }
}
