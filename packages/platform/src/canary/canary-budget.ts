import type { Database } from '@farebox/server/postgres/connect'

/** What one owner's agents may cost in thirty days, in all: half a USDC. A stake does not earn itself back. */
export const MAX_OWNER_ATOMIC = 500_000n

const OWNER_DAYS_MS = 30 * 86_400_000

/**
 * Counts a price against the budget of the day (UTC), before anything is signed; over all workers, in one statement.
 * What was counted is not given back: a payment that was signed may still be used.
 *
 * @returns false where the budget does not allow it; nothing is counted then
 */
export async function takeFromBudget(
  database: Database,
  {
    priceAtomic,
    budgetAtomic,
    nowMs,
  }: { readonly priceAtomic: bigint; readonly budgetAtomic: bigint; readonly nowMs: number },
): Promise<boolean> {
  if (priceAtomic > budgetAtomic) return false
  const rows = await database.query(
    'take-canary-budget',
    `insert into canary_days (day, spent_atomic) values ($1, $2)
     on conflict (day) do update set spent_atomic = canary_days.spent_atomic + excluded.spent_atomic
       where canary_days.spent_atomic + excluded.spent_atomic <= $3
     returning 1 as one`,
    [new Date(nowMs).toISOString().slice(0, 10), priceAtomic, budgetAtomic],
  )
  return rows.length > 0
}

/** What the daily jobs have cost an owner's agents us in the last thirty days, at most. */
export async function spentOnOwner(database: Database, owner: string, nowMs: number): Promise<bigint> {
  const [row] = await database.query<{ spent: string }>(
    'spent-on-owner',
    `select coalesce(sum(jobs.amount_atomic), 0)::text as spent from jobs
     join agents on agents.agent_id = jobs.agent_id
     where agents.owner = $1 and jobs.kind = 'canary' and jobs.created_at > $2 and jobs.payment <> 'dead'`,
    [owner, new Date(nowMs - OWNER_DAYS_MS)],
  )
  return BigInt(row?.spent ?? '0')
}
