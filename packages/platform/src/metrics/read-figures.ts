import type { Database } from '@farebox/server/internal/postgres/connect'

/** How the platform stands, as its database says. */
export interface Figures {
  readonly agents: readonly { readonly standing: string; readonly offline: boolean; readonly count: number }[]
  readonly jobs: readonly { readonly state: string; readonly count: number }[]
  /** The longest that a check, a job or a notice has waited past the time when it was due. */
  readonly lateSeconds: { readonly checks: number; readonly jobs: number; readonly notices: number }
  /** Blocks of the chain that the registry has not been read up to. */
  readonly blocksBehind: number
  readonly canarySpentAtomic: bigint
}

/** Reads them. Counting a million agents takes a fraction of a second: not to be asked all the time. */
export async function readFigures(database: Database, nowMs: number): Promise<Figures> {
  const now = new Date(nowMs)
  const [agents, jobs, [one]] = await Promise.all([
    database.query<{ standing: string; offline: boolean; count: string }>('figures_agents', AGENTS),
    database.query<{ state: string; count: string }>('figures_jobs', JOBS),
    database.query<OneRow>('figures_one', ONE, [now]),
  ])
  const late = (at: Date | null | undefined): number =>
    at === null || at === undefined ? 0 : Math.max(0, (nowMs - at.getTime()) / 1_000)
  return {
    agents: agents.map(({ count, ...row }) => ({ ...row, count: Number(count) })),
    jobs: jobs.map(({ state, count }) => ({ state, count: Number(count) })),
    lateSeconds: { checks: late(one?.checks), jobs: late(one?.jobs), notices: late(one?.notices) },
    blocksBehind: Number(one?.blocks ?? 0),
    canarySpentAtomic: BigInt(one?.spent ?? 0),
  }
}

interface OneRow {
  readonly checks: Date | null
  readonly jobs: Date | null
  readonly notices: Date | null
  readonly blocks: string | null
  readonly spent: string | null
}

const AGENTS = 'select standing, is_offline as offline, count(*) as count from agents group by 1, 2'

/** Only those that may still change: what is over is counted by whoever wants to know how much there was. */
const JOBS = "select state, count(*) as count from jobs where state in ('sent', 'pending') group by 1"

const ONE = `
  select
    (select min(due_at) from agent_health where due_at <= $1) as checks,
    (select min(next_look_at) from jobs where next_look_at <= $1) as jobs,
    (select min(due_at) from webhook_deliveries where state = 'waiting' and due_at <= $1) as notices,
    (select head_number - block_number from followed_contracts where contract = 'registry') as blocks,
    (select sum(spent_atomic) from canary_days where day = ($1 at time zone 'utc')::date) as spent`
