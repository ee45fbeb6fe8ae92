import {
  MAX_DASHBOARD_AGENTS,
  type DashboardAgent,
  type OwnerDashboard,
} from '@farebox/platform-api/me/owner-dashboard'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { AgentRow } from '../agents/agent-row.ts'
import { describeAvailability } from '../monitor/read-health.ts'
import { listOwnAgents } from '../owners/own-agents.ts'
import { describeJobs, JOB_SUMS, NO_JOBS, type JobSums } from '../owners/read-dashboard.ts'
import { findLostOrders } from './find-lost-orders.ts'
import { findNotices } from './find-notices.ts'
import { listLatestJobs, toOwnerJobLine } from './list-jobs.ts'
import { readAgentChecks, type AgentChecks } from './read-agent-checks.ts'
import { readEarnings } from './read-earnings.ts'

const DAY_MS = 86_400_000
const LATEST_JOBS = 10

/**
 * How the agents of an owner do together, over whole UTC days of which today is the last: the first
 * {@link MAX_DASHBOARD_AGENTS} by their numbers. It takes as many statements however many they are.
 */
export async function readOverview(
  database: Database,
  address: string,
  { days, nowMs }: { readonly days: number; readonly nowMs: number },
): Promise<OwnerDashboard> {
  const agents = await listOwnAgents(database, address, { afterAgentId: 0, limit: MAX_DASHBOARD_AGENTS })
  const agentIds = agents.map(({ agentId }) => agentId)
  const fromMs = Math.floor(nowMs / DAY_MS) * DAY_MS - (days - 1) * DAY_MS
  const [sums, open, series, checksOf, latest, lostOrders] = await Promise.all([
    database.query<SumsRow>('overview-jobs', SUMS, [agentIds, new Date(fromMs)]),
    database.query<OpenRow>('overview-open-jobs', OPEN, [agentIds]),
    readEarnings(database, agentIds, fromMs),
    readAgentChecks(database, agentIds, nowMs),
    listLatestJobs(database, agentIds, LATEST_JOBS),
    findLostOrders(database, agents),
  ])
  const sumsOf = (agentId: string | null): JobSums => sums.find(row => row.agent_id === agentId) ?? NO_JOBS
  return {
    address,
    from: fromMs / 1_000,
    to: Math.floor(nowMs / 1_000),
    ...describeJobs(sumsOf(null)),
    open: { jobs: Number(open[0]?.jobs ?? 0), amount: formatUsdc(BigInt(open[0]?.amount ?? 0)) },
    series: [...series],
    agents: agents.map(agent => describeAgent(agent, sumsOf(String(agent.agentId)), checksOf(agent.agentId))),
    notices: [...findNotices(agents, checksOf, lostOrders)],
    latest_jobs: latest.map(toOwnerJobLine),
  }
}

interface SumsRow extends JobSums {
  /** Null: of all together. */
  readonly agent_id: string | null
}

const SUMS = `
  select agent_id, ${JOB_SUMS} from jobs
  where agent_id = any($1) and created_at >= $2 and kind = 'caller'
  group by grouping sets ((agent_id), ())`

interface OpenRow {
  readonly jobs: string
  readonly amount: string
}

const OPEN = `
  select count(*) as jobs, coalesce(sum(amount_atomic), 0) as amount from jobs
  where agent_id = any($1) and state in ('sent', 'pending') and kind = 'caller'`

function describeAgent(agent: AgentRow, sums: JobSums, checks: AgentChecks): DashboardAgent {
  const { earned_atomic: _, ...jobs } = describeJobs(sums)
  return {
    agent_id: agent.agentId,
    name: agent.name,
    standing: agent.standing,
    standing_reason: agent.standingReason ?? null,
    ...describeAvailability(checks),
    consecutive_failures: checks.failures ?? 0,
    checked_at: checks.checked_at === null ? null : Math.floor(checks.checked_at.getTime() / 1_000),
    badge: agent.badgeShown,
    hours: checks.hours,
    ...jobs,
    registered_at: Math.floor(agent.registeredAtMs / 1_000),
  }
}
