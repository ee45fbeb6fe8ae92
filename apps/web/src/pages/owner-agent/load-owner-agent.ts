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

/** Everything on the page of one agent, for its owner. */
export interface OwnerAgentData {
  readonly days: Days
  /** The address that is signed in; lower-case. */
  readonly owner: string
  /** The origin of the session: a terminal has the owner's key, this browser may not. */
  readonly origin: Me['session']['origin']
  readonly agent: OwnAgent
  readonly dashboard: AgentDashboard
  /** Of all agents: the days and the notices of this one are among them. Null: not read. */
  readonly overview: OwnerDashboard | null
  /** Null: nobody checks it, because it is not listed. */
  readonly health: AgentHealth | null
  readonly webhook: Webhook | null
  readonly jobs: OwnerJobs
  readonly stakeWei: string | null
}

const MOST_JOBS = 8

/** Reads the page of one agent. Rejects with an `ApiFailure`: 401 nobody is signed in, 404 it is none of theirs. */
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

/** One agent of the signed-in owner's list. Rejects with an `ApiFailure` 404 where it is none of theirs. */
export async function loadOwnAgent(ask: Ask, agentId: number): Promise<OwnAgent> {
  const agent = await findOwnAgent(ask, agentId)
  if (agent === undefined)
    throw new ApiFailure(`You do not have an agent ${agentId}.`, { status: 404, type: 'not_found' })
  return agent
}

/** An agent's number in a path. Throws an `ApiFailure` 404 for what is none. */
export function readAgentIdParam(params: { readonly [name: string]: string }): number {
  const text = params['agentId'] ?? ''
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new ApiFailure('This agent does not exist.', { status: 404, type: 'not_found' })
}
