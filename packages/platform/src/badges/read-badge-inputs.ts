import type { Database } from '@farebox/server/internal/postgres/connect'
import { availabilityOf } from '../agents/availability.ts'
import { countChecks, uptimeOverSpan } from '../agents/history.ts'
import type { ListingStatus } from '../agents/agent-row.ts'
import { applyRecounts } from '../tallies/apply-recounts.ts'
import { readTally } from '../tallies/read-tally.ts'
import type { BadgeInputs } from '../agents/badge.ts'

const READ_WITHIN_INTERVALS = 2

/**
 * Reads the values an agent's badge is computed from. Paid jobs count when the payer is not the owner and the transfer is
 * proven; failed jobs count when the agent was at fault (`judgeFault`). The platform's own daily jobs are not counted.
 *
 * `undefined` when there is no such agent.
 */
export async function readBadgeInputs(
  database: Database,
  agentId: number,
  options: {
    readonly nowMs: number
    readonly checkIntervalMs: number
    readonly refreshIntervalMs: number
  },
): Promise<BadgeInputs | undefined> {
  const { nowMs, checkIntervalMs } = options
  const [agent] = await database.query<AgentFacts>('badge-agent', AGENT_FACTS, [agentId])
  if (agent === undefined) return undefined
  const uptime = async (days: number): Promise<number | undefined> => {
    const watchedSinceMs = agent.watched_since?.getTime() ?? nowMs
    const count = await countChecks(database, agentId, days, nowMs)
    return uptimeOverSpan(count, { days, watchedSinceMs, nowMs, checkIntervalMs })
  }
  return {
    aboutPasses: isAboutRead(agent, options),
    healthPasses: agent.has_passed && !availabilityOf(agent.failures ?? 0).isOffline,
    ...(await readJobCounts(database, agentId)),
    uptime7Days: await uptime(7),
    uptime30Days: await uptime(30),
  }
}

/** The job counts of {@link BadgeInputs}. Reading them is cheap, because they come from a tally and not from the jobs. */
async function readJobCounts(
  database: Database,
  agentId: number,
): Promise<Pick<BadgeInputs, 'paidJobs' | 'failedJobs' | 'payers' | 'leftOutJobs'>> {
  const apply = (): Promise<number> => database.inTransaction(client => applyRecounts(client, agentId))
  while ((await apply()) > 0);
  const { paid, failed, paying, leftOut } = await readTally(database.pool, agentId)
  return { paidJobs: paid, failedJobs: failed, payers: paying, leftOutJobs: leftOut }
}

/**
 * A failed inspection is tolerated while the last successful one is less than two refresh intervals old. After that it is
 * not known whether the agent still serves its declaration (D34: both routes pass).
 */
function isAboutRead(
  agent: AgentFacts,
  { nowMs, refreshIntervalMs }: { readonly nowMs: number; readonly refreshIntervalMs: number },
): boolean {
  if (agent.standing !== 'listed' || !agent.has_declaration) return false
  const readMs = agent.refreshed_at?.getTime() ?? Number.NEGATIVE_INFINITY
  return agent.look_problem === null || nowMs - readMs < READ_WITHIN_INTERVALS * refreshIntervalMs
}

interface AgentFacts {
  readonly standing: ListingStatus
  readonly has_declaration: boolean
  readonly look_problem: string | null
  readonly refreshed_at: Date | null
  readonly watched_since: Date | null
  readonly failures: number | null
  readonly has_passed: boolean
}

const AGENT_FACTS = `
  select a.standing, a.declaration is not null as has_declaration, a.look_problem, a.refreshed_at,
    h.watched_since, h.failures, h.last_ok_at is not null as has_passed
  from agents a left join agent_health h using (agent_id) where a.agent_id = $1`
