import { ownerDashboard, ownerDashboardQuery, ownerJobs } from '@farebox/platform-api/me/owner-dashboard'
import { ownerJobsQuery } from '@farebox/platform-api/me/payer-jobs'
import { z } from 'zod'
import { defineRoute, type Route } from '../http/route.ts'
import { readOwnAgent } from '../owners/own-agents.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { findAgentJob, listJobs, toOwnerJobLine } from './list-jobs.ts'
import { readOverview } from './read-overview.ts'

/** The routes for an owner: an overview of all agents, and the jobs of each agent. */
export function ownerOverviewRoutes(parts: PlatformParts): readonly Route[] {
  return [overviewRoute(parts), ownerJobsRoute(parts)]
}

function overviewRoute({ database, clock }: PlatformParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/me/dashboard',
    summary: 'All your agents together: jobs, earnings by day, health, and open problems',
    access: 'owner',
    perMinute: 30,
    query: ownerDashboardQuery,
    answers: { 200: { description: 'The last days', schema: ownerDashboard } },
    handle: async ({ query, caller }) => ({
      body: await readOverview(database, caller.address, { days: query.days, nowMs: clock.nowMs() }),
    }),
  })
}

function ownerJobsRoute(parts: PlatformParts): Route {
  const { database } = parts
  return defineRoute({
    method: 'GET',
    path: '/v1/me/agents/:agentId/jobs',
    summary: 'The jobs of one of your agents, without contents and payers',
    access: 'owner',
    params: z.strictObject({ agentId: z.coerce.number().int().positive() }),
    query: ownerJobsQuery,
    belongsTo: 'agent-owner',
    answers: { 200: { description: 'The newest first', schema: ownerJobs } },
    async handle({ params, query, caller }) {
      const { agentId } = await readOwnAgent(parts, params.agentId, caller.address)
      if (query.job_id !== undefined) {
        const found = await findAgentJob(database, agentId, query.job_id)
        const jobs = found.filter(job => query.status === undefined || job.state === query.status)
        return { body: { jobs: jobs.map(toOwnerJobLine), next_cursor: null } }
      }
      const { jobs, next } = await listJobs(database, { agentId }, query)
      return { body: { jobs: jobs.map(toOwnerJobLine), next_cursor: next ?? null } }
    },
  })
}
