import type { Database } from '@farebox/server/postgres/connect'
import { availabilityOf } from '../monitor/availability.ts'
import { countChecks, uptimeOverSpan } from '../monitor/history.ts'
import type { Standing } from '../registry/agent-row.ts'
import type { BadgeInputs } from './badge.ts'

/**
 * So many jobs of one payer count, the newest: a hundred paid jobs take ten payers at least, and a thousand a hundred, so
 * that nobody buys a badge for one agent, or spoils it, by himself.
 */
export const JOBS_OF_ONE_PAYER = 10

const READ_WITHIN_INTERVALS = 2

/** The jobs looked at, the newest; whoever floods an agent with more pushes his own out with those of others. */
const NEWEST_JOBS = 50_000

/**
 * Counts what an agent's badge rests on: jobs that others than its owner paid for, with the transfer proven; against them
 * those it called `internal` or `deadline`, never answered, or charged without delivering. A refused input or payment is
 * the caller's. The platform's own daily jobs count neither way.
 *
 * Undefined where there is no such agent.
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
  const [jobs] = await database.query<JobCounts>('badge-jobs', COUNT_JOBS, [
    agentId,
    agent.own_addresses,
    JOBS_OF_ONE_PAYER,
  ])
  const uptime = async (days: number): Promise<number | undefined> => {
    const watchedSinceMs = agent.watched_since?.getTime() ?? nowMs
    const count = await countChecks(database, agentId, days, nowMs)
    return uptimeOverSpan(count, { days, watchedSinceMs, nowMs, checkIntervalMs })
  }
  return {
    aboutPasses: isAboutRead(agent, options),
    healthPasses: agent.has_passed && !availabilityOf(agent.failures ?? 0).isOffline,
    paidJobs: Number(jobs?.paid ?? 0),
    failedJobs: Number(jobs?.failed ?? 0),
    payers: Number(jobs?.payers ?? 0),
    uptime7Days: await uptime(7),
    uptime30Days: await uptime(30),
  }
}

/**
 * A look that fails is borne while the newest that did not is younger than two intervals; afterwards nobody knows that
 * the agent still serves what it declared (D34: both routes pass).
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
  readonly standing: Standing
  readonly has_declaration: boolean
  readonly look_problem: string | null
  readonly refreshed_at: Date | null
  readonly own_addresses: readonly string[]
  readonly watched_since: Date | null
  readonly failures: number | null
  readonly has_passed: boolean
}

interface JobCounts {
  readonly paid: string
  readonly failed: string
  readonly payers: string
}

const AGENT_FACTS = `
  select a.standing, a.declaration is not null as has_declaration, a.look_problem, a.refreshed_at,
    array_remove(array[a.owner, a.wallet, a.proven_wallet], null) as own_addresses,
    h.watched_since, h.failures, h.last_ok_at is not null as has_passed
  from agents a left join agent_health h using (agent_id) where a.agent_id = $1`

const COUNT_JOBS = `
  with newest as (
    select payer, created_at, job_id, case
      when charged_without_delivery or state = 'expired' then false
      when state = 'completed' and transaction is not null then true
      when state = 'failed' and error_type in ('internal', 'deadline') then false end as went_well
    from jobs where agent_id = $1 and kind = 'caller' order by created_at desc limit ${NEWEST_JOBS}
  ), counted as (
    select payer, went_well, row_number() over (partition by payer order by created_at desc, job_id) as place
    from newest where went_well is not null and payer <> all($2)
  )
  select count(*) filter (where went_well) as paid, count(*) filter (where not went_well) as failed,
    count(distinct payer) filter (where went_well) as payers
  from counted where place <= $3`
