import type { AgentHealth, Webhook } from '@farebox/platform-api/monitor'
import type { OwnerDashboard, OwnerJobs } from '@farebox/platform-api/me/owner-dashboard'
import type { AgentDashboard, Me } from '@farebox/platform-api/owners'
import {
  findOwnAgent,
  readDaysShown,
  askWebhook,
  unlessSignedOut,
  type Days,
  type OwnAgent,
} from '../../owner/read-parts.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure, type Ask } from '../../site/ask.ts'

/** All data of the owner's page of one agent. */
export interface OwnerAgentData {
  readonly days: Days
  /** The signed-in address, in lower case. */
  readonly owner: string
  /** The origin of the session. If a terminal started it, the owner's key is there, and perhaps not in this browser. */
  readonly origin: Me['session']['origin']
  readonly agent: OwnAgent
  readonly dashboard: AgentDashboard
  /** The overview of all agents, which contains the days and notices of this one. Null when it was not read. */
  readonly overview: OwnerDashboard | null
  /** Null when the agent is not listed and therefore not checked. */
  readonly health: AgentHealth | null
  readonly webhook: Webhook | null
  readonly jobs: OwnerJobs
  readonly stakeWei: string | null
}

const MOST_JOBS = 8

/** Reads the page of one agent. Rejects with an `ApiFailure`: 401 when signed out, 404 when the owner has no such agent. */
export async function loadOwnerAgent(
  ask: Ask,
  agentId: number,
  query: URLSearchParams,
): Promise<OwnerAgentData> {
  const days = readDaysShown(query)
  const [agent, dashboard, overview, health, webhook, jobs, shown] = await Promise.all([
    loadOwnAgent(ask, agentId),
    ask(`/v1/me/agents/${agentId}/dashboard?days=${days}`, answers.dashboard),
    ask(`/v1/me/dashboard?days=${days}`, answers.ownerDashboard).catch(unlessSignedOut(null)),
    ask(`/v1/agents/${agentId}/health`, answers.agentHealth).catch(unlessSignedOut(null)),
    askWebhook(ask, agentId),
    ask(`/v1/me/agents/${agentId}/jobs?limit=${MOST_JOBS}`, answers.ownerJobs),
    ask(`/v1/agents/${agentId}`, answers.agentPage).catch(unlessSignedOut(null)),
  ])
  const { address: owner, session } = await ask('/v1/me', answers.me)
  return {
    days,
    owner,
    origin: session.origin,
    agent,
    dashboard,
    overview,
    health,
    webhook,
    jobs,
    stakeWei: shown?.stake?.amount_wei ?? null,
  }
}

/** One agent in the signed-in owner's list. Rejects with an `ApiFailure` 404 when the owner has no such agent. */
export async function loadOwnAgent(ask: Ask, agentId: number): Promise<OwnAgent> {
  const agent = await findOwnAgent(ask, agentId)
  if (agent === undefined)
    throw new ApiFailure(`You do not have an agent ${agentId}.`, { status: 404, type: 'not_found' })
  return agent
}

/** Parses an agent's number in a path. Throws an `ApiFailure` 404 when the text is not a valid number. */
export function readAgentIdParam(params: { readonly [name: string]: string }): number {
  const text = params['agentId'] ?? ''
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new ApiFailure('This agent does not exist.', { status: 404, type: 'not_found' })
}
