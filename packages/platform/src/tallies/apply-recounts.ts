import type pg from 'pg'
import { IS_PAID, PAID_HASH, PAID_MINUTE } from './paid-jobs.ts'

/**
 * The number of jobs of one payer that count, the newest. A hundred paid jobs therefore need at least ten payers, and a
 * thousand a hundred, so that no single payer can buy or spoil a badge.
 */
const JOBS_OF_ONE_PAYER = 10

/** The job durations are computed from this many of the agent's newest paid jobs. */
const JOBS_TIMED = 500

/** The maximum number of outcomes added at a time, so that others do not wait long for the agent's row. */
const RECOUNTS_AT_ONCE = 1_000

/**
 * Adds the outcomes of an agent's jobs that were written since the last call to its tallies. The cost of an outcome
 * does not depend on the number of the agent's jobs, because only the newest ten of its payer are read.
 *
 * It must be called in a transaction, and locks the agent's tallies until that ends.
 *
 * @returns the number of outcomes added; at {@link RECOUNTS_AT_ONCE} there may be more
 */
export async function applyRecounts(client: pg.PoolClient, agentId: number): Promise<number> {
  const pending = await client.query('select 1 from recounts where agent_id = $1 limit 1', [agentId])
  if (pending.rowCount === 0) return 0
  // Concurrent calls for this agent wait here, and then read the newest rows.
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

/**
 * Jobs with `fault = 'agent'` count as failed; the other rows of the index count as paid, because they were delivered
 * and their payment is proven.
 */
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

/** Again limited to the newest jobs of each payer; jobs of the agent's owner and wallets are excluded. */
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
