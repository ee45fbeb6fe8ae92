import type pg from 'pg'
import { IS_PAID, PAID_HASH, PAID_MINUTE } from './paid-jobs.ts'

/**
 * So many jobs of one payer count, the newest: a hundred paid jobs take ten payers at least, and a thousand a hundred, so
 * that nobody buys a badge for one agent, or spoils it, alone.
 */
const JOBS_OF_ONE_PAYER = 10

/** Among so many of its newest paid jobs those are looked for that say how long it takes. */
const JOBS_TIMED = 500

/** Outcomes added at a time, so that nobody waits long for an agent's row. */
const RECOUNTS_AT_ONCE = 1_000

/**
 * Adds the outcomes of an agent's jobs that were written since the last time to its tallies. Each costs the same however
 * many jobs the agent has had: of its payer the newest ten are read.
 *
 * To be called in a transaction; it holds the agent's tallies until that ends.
 *
 * @returns how many outcomes there were; at {@link RECOUNTS_AT_ONCE} there may be more
 */
export async function applyRecounts(client: pg.PoolClient, agentId: number): Promise<number> {
  const pending = await client.query('select 1 from recounts where agent_id = $1 limit 1', [agentId])
  if (pending.rowCount === 0) return 0
  // Whoever else adds something to this agent waits here, and then reads what is newest.
  await client.query(LOCK_TALLY, [agentId])
  const { rows: taken } = await client.query<{ payer: string; done_change: string; outcomes: string }>(TAKE, [
    agentId,
    RECOUNTS_AT_ONCE,
  ])
  if (taken.length === 0) return 0
  await client.query(ADD, [
    agentId,
    taken.map(({ payer }) => payer),
    taken.map(({ done_change: change }) => change),
    JOBS_OF_ONE_PAYER,
  ])
  await client.query(ADD_TIMES, [agentId, JOBS_TIMED, JOBS_OF_ONE_PAYER])
  return taken.reduce((sum, { outcomes }) => sum + Number(outcomes), 0)
}

const LOCK_TALLY = `
  insert into agent_tallies as t (agent_id, jobs_done, payers, paying, paid, failed, left_out)
  values ($1, 0, 0, 0, 0, 0, 0) on conflict (agent_id) do update set agent_id = t.agent_id`

const TAKE = `
  with taken as (
    delete from recounts where recount_id in (
      select recount_id from recounts where agent_id = $1 order by recount_id limit $2)
    returning payer, done_change)
  select payer, sum(done_change)::bigint as done_change, count(*) as outcomes from taken group by payer`

/** A job whose fault is the agent's went badly; the others of the index went well: paid for, as proven, and delivered. */
const ADD = `
  with changed as (
    select payer, done_change from unnest($2::text[], $3::bigint[]) as given (payer, done_change)
  ), counted as (
    select changed.payer, greatest(coalesce(known.jobs_done, 0) + done_change, 0) as jobs_done,
      newest.paid, newest.failed, excused.left_out, coalesce(known.jobs_done, 0) as old_done,
      coalesce(known.paid, 0) as old_paid, coalesce(known.failed, 0) as old_failed,
      coalesce(known.left_out, 0) as old_left_out
    from changed left join agent_payers known on known.agent_id = $1 and known.payer = changed.payer
    cross join lateral (
      select count(*) filter (where went_well)::int as paid, count(*) filter (where not went_well)::int as failed
      from (
        select fault is distinct from 'agent' as went_well from jobs
        where agent_id = $1 and payer = changed.payer and kind = 'caller' and
          (fault = 'agent' or (state = 'completed' and not charged_without_delivery and transaction is not null))
        order by created_at desc, job_id limit $4) as ten
    ) as newest
    cross join lateral (
      select count(*)::int as left_out from (
        select 1 from jobs where agent_id = $1 and payer = changed.payer and kind = 'caller' and fault <> 'agent'
        order by created_at desc limit $4) as ten
    ) as excused
  ), saved as (
    insert into agent_payers as known (agent_id, payer, jobs_done, paid, failed, left_out)
    select $1, payer, jobs_done, paid, failed, left_out from counted
    on conflict (agent_id, payer) do update set
      jobs_done = excluded.jobs_done, paid = excluded.paid, failed = excluded.failed, left_out = excluded.left_out
  ), sums as (
    select sum(jobs_done - old_done) as jobs_done,
      sum((jobs_done > 0)::int - (old_done > 0)::int) as payers, sum((paid > 0)::int - (old_paid > 0)::int) as paying,
      sum(paid - old_paid) as paid, sum(failed - old_failed) as failed, sum(left_out - old_left_out) as left_out
    from counted
  )
  update agent_tallies t set jobs_done = t.jobs_done + sums.jobs_done, payers = t.payers + sums.payers,
    paying = t.paying + sums.paying, paid = t.paid + sums.paid, failed = t.failed + sums.failed,
    left_out = t.left_out + sums.left_out
  from sums where t.agent_id = $1`

/** The newest of each payer again; the owner's own say nothing. */
const ADD_TIMES = `
  update agent_tallies t set job_p50_ms = times.ms[1], job_p95_ms = times.ms[2]
  from (
    select percentile_disc(array[0.5, 0.95]) within group (order by elapsed_ms) as ms
    from (
      select elapsed_ms, row_number() over (partition by payer order by minute desc, hash desc) as place
      from (
        select payer, elapsed_ms, ${PAID_MINUTE} as minute, ${PAID_HASH} as hash from jobs
        where agent_id = $1 and ${IS_PAID}
        order by minute desc, hash desc limit $2
      ) as newest
      join agents on agents.agent_id = $1
      where payer not in (owner, coalesce(wallet, ''), coalesce(proven_wallet, '')) and elapsed_ms is not null
    ) as placed
    where place <= $3
  ) as times
  where t.agent_id = $1`
