import {
  type DashboardAgent,
  MAX_DASHBOARD_AGENTS,
  type OwnerDashboard,
} from '@farebox/platform-api/me/owner-dashboard'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { Database } from '@farebox/server/internal/postgres/connect'
import type { AgentRow } from '../agents/agent-row.ts'
import { describeAvailability } from '../monitor/read-health.ts'
import { listOwnAgents } from '../owners/own-agents.ts'
import { describeJobs, JOB_SUMS, type JobSums, NO_JOBS } from '../owners/read-dashboard.ts'
import { findLostOrders } from './find-lost-orders.ts'
import { findNotices } from './find-notices.ts'
import { listLatestJobs, toOwnerJobLine } from './list-jobs.ts'
import { type AgentChecks, readAgentChecks } from './read-agent-checks.ts'

const DAY_MS = 86_400_000
const LATEST_JOBS = 10

/**
 * An overview of an owner's agents over whole UTC days, the last of which is today. Covers the first {@link
 * MAX_DASHBOARD_AGENTS} agents by id. The number of statements does not depend on the number of agents.
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
  /** Null for the sum over all agents. */
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

/** Thirty days of fifty agents with six capabilities; when there are more rows, the oldest days are left out. */
const MAX_ROWS = 10_000

/** What the agents earned from callers since `fromMs`, by capability and by the UTC day of the order; the oldest first. */
async function readEarnings(
  database: Database,
  agentIds: readonly number[],
  fromMs: number,
): Promise<OwnerDashboard['series']> {
  const rows = await database.query<EarningsRow>('overview-earnings', EARNINGS, [
    agentIds,
    new Date(fromMs),
    MAX_ROWS,
  ])
  return rows.toReversed().map(row => ({
    day: Number(row.day),
    agent_id: Number(row.agent_id),
    capability: row.capability,
    earned: formatUsdc(BigInt(row.earned_atomic)),
    earned_atomic: row.earned_atomic,
    jobs: Number(row.jobs),
  }))
}

interface EarningsRow {
  /** Start of the day, in Unix seconds. */
  readonly day: string
  readonly agent_id: string
  readonly capability: string
  readonly jobs: string
  readonly earned_atomic: string
}

const EARNINGS = `
  select extract(epoch from date_trunc('day', created_at, 'UTC'))::bigint as day, agent_id, capability,
    count(*) as jobs, coalesce(sum(amount_atomic) filter (where transaction is not null), 0) as earned_atomic
  from jobs where agent_id = any($1) and created_at >= $2 and kind = 'caller'
  group by 1, 2, 3 order by 1 desc, 2 desc, 3 desc limit $3`
