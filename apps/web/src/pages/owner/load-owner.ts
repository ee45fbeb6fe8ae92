import type { Webhook } from '@farebox/platform-api/monitor'
import type { OwnerDashboard, OwnerJobLine } from '@farebox/platform-api/me/owner-dashboard'
import type { OwnedAgents, Secrets } from '@farebox/platform-api/owners'
import { readDaysShown, askWebhook, unlessSignedOut, type Days } from '../../owner/read-parts.ts'
import { answers } from '../../site/answers.ts'
import type { Ask } from '../../site/ask.ts'

/** All data of an owner's first page. */
export interface OwnerData {
  readonly days: Days
  readonly dashboard: OwnerDashboard
  readonly agents: OwnedAgents['agents']
  /** Null when they cannot be read at the moment. */
  readonly secrets: Secrets | null
  readonly webhooks: readonly Webhook[]
  /** A job that was searched by its id. */
  readonly sought: { readonly jobId: string; readonly found: OwnerJobLine | null } | null
}

/** The most agents whose webhooks are read for the first page; the settings show all webhooks. */
const MOST_WEBHOOKS = 8

/** Reads an owner's first page. Rejects with an `ApiFailure`; 401 when the reader is signed out. */
export async function loadOwner(ask: Ask, query: URLSearchParams): Promise<OwnerData> {
  const days = readDaysShown(query)
  const [dashboard, { agents }, secrets] = await Promise.all([
    ask(`/v1/me/dashboard?days=${days}`, answers.ownerDashboard),
    ask('/v1/me/agents', answers.ownedAgents),
    ask('/v1/me/secrets', answers.secrets).catch(unlessSignedOut(null)),
  ])
  const ids = dashboard.agents.map(({ agent_id: id }) => id)
  const jobId = query.get('job')?.trim() ?? ''
  const [webhooks, found] = await Promise.all([
    Promise.all(ids.slice(0, MOST_WEBHOOKS).map(async id => await askWebhook(ask, id))),
    jobId === '' ? null : findJob(ask, ids, jobId),
  ])
  return {
    days,
    dashboard,
    agents,
    secrets,
    webhooks: webhooks.filter(webhook => webhook !== null),
    sought: jobId === '' ? null : { jobId, found },
  }
}

/** Finds a job of any of these agents by its id; null when none of them has it. */
async function findJob(ask: Ask, agentIds: readonly number[], jobId: string): Promise<OwnerJobLine | null> {
  const lists = await Promise.all(
    agentIds.map(async id => {
      const path = `/v1/me/agents/${id}/jobs?job_id=${encodeURIComponent(jobId)}`
      return await ask(path, answers.ownerJobs).catch(unlessSignedOut({ jobs: [], next_cursor: null }))
    }),
  )
  return lists.flatMap(({ jobs }) => jobs)[0] ?? null
}
